"""What an import is asked for becomes articles, ready to be stored: read here, or by an engine."""
