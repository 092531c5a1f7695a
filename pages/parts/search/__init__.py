"""The page Search: the question and its filters, and the hits, with their words marked.

In: what was typed. Out: hits that open in Review.
"""
