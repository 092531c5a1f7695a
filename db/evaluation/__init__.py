"""Queries on reports of versions and on audit verdicts."""
