"""What learns at once: features, light heads, fitted rankings, the queue and the live ranking. All in numpy.

In: a verdict, the articles that wait. Out: which article comes next and why; the rest of an article, ranked again.
"""
