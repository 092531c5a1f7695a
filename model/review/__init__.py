"""Numbers about the review itself: how much is probably still to find, what showing proposals does, lots in blocks.

In: counts of draws and findings. Out: estimates with their intervals, and chances.
"""
