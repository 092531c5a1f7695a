"""Queries on the sources of gold, and on frozen gold."""
