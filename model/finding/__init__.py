"""Ranks texts for a question: fusion of rankings, a cross-encoder, words that an article answers, feedback.

In: texts, questions and scores as arrays. Out: scores and orders.
"""
