"""Whole databases: their size, copies into another, the checks of a copy before it is trusted, and seals of rows."""
