"""How good a version is: its scores on labelled articles, its report, and the audit of what labels call wrong.

In: a version, a ranking and a label set. Out: stored evaluations and reports, audit verdicts.
"""
