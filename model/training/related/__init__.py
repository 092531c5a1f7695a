"""Learning from reference lists: losses between articles and what they cite, and the map of vectors that they teach.

In: unit vectors and pairs of places. Out: a map of vectors, and files.
"""
