"""The page Search: the question and its filters, and the hits, with their words marked.

In: the typed question. Out: hits that open in Review.
"""
