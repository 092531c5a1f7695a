"""Trained stages of Find: what they learn from, pseudo-queries, the choice of a version.

In: judged questions, of files or of the project's own verdicts. Out: model versions, words by article, scores.
"""
