"""Queries on features, light heads and fitted rankings."""
