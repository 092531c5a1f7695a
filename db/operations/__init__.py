"""Whole databases: their size, copies into another, and the checks of a copy before it is trusted."""
