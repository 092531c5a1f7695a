"""Files of reference managers: which works they name."""
