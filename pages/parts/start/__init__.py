"""The page Start: what the project looks for, where it stands, and the next steps of the person who opens it."""
