"""Queries on what the gold is made of, and on frozen gold."""
