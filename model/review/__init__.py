"""Numbers about the review itself: how much is probably still unfound, and what showing proposals does to experts.

In: counts of draws and findings. Out: estimates with their intervals.
"""
