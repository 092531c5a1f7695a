"""The page Start: what the project looks for, where it stands, and the one next step of whoever opens it."""
