"""Measures: of a ranking against labels, of probabilities, of an order of reading, and intervals around them.

In: scores and labels as arrays. Out: numbers with their range.
"""
