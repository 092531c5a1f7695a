"""The page Search: what is asked and how it is narrowed, and what was found, its words marked.

In: what was typed. Out: hits that open in Review.
"""
