"""Files of reference managers: which works they name. Imports the parsing of articles."""
