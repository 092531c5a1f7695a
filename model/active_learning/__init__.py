"""Models that are fitted at once from labels, in numpy: features, the learned ranking, the light head, query
strategies.

In: sentences' features and labels. Out: weights, log odds, acquisition scores.
"""
