"""Queries on annotators, verdicts, readings and assignments, and on how far the review is."""
