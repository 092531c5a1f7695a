"""Trained stages of Find: versions of ranking models, what they learn from, pseudo-queries, the choice of one.

In: judged questions, of files or of the project's own verdicts. Out: model versions, words by article, scores.
"""
