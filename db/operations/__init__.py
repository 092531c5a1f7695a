"""Whole databases: how much there is, copies into another, and what is asked of a copy before it is trusted."""
