"""The trained stage of Find: what it learns from, the choice of a version.

In: judged questions, of files or of the project's own verdicts. Out: model versions, scores.
"""
