"""Queries on accounts and logins, on what several annotators said of the same, and on what people did."""
