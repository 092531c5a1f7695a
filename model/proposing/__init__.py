"""Ranking by rule: the terms of an article, the query made from them, and the rankings that need no labels.

In: sentences, cosines, document terms. Out: a score a sentence.
"""
