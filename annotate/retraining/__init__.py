"""A child version from the labels: what it would learn from, whether it is worth it, when, and who promotes it.

In: a parent version, settings, a label set. Out: a registered and evaluated version, advice, the gate's decision.
"""
