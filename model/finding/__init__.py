"""Ranks texts for a question: fusion of rankings, a cross-encoder, feedback.

In: texts, questions and scores as arrays. Out: scores and orders.
"""
