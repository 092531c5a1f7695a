"""The labels: made from verdicts by a rule, written to and read from files, and frozen under a name.

In: verdicts and decisions, gold files. Out: `LabelSet` for training and evaluation, `GoldRow` for files, snapshots.
"""
