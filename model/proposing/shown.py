"""How many of an article's ranked sentences are shown at first; the rest is shown when somebody asks for more."""

import math

import numpy as np

# Both chosen on the open half of tests/data/edit_labels.csv: the highest level and the lowest share by which nine in
# ten articles with key sentences show all of them (`python -m tests.measure.shown choose`).
LEVEL = 0.05
SHARE = 0.35


def by_probability(ranked: np.ndarray, level: float = LEVEL) -> int:
    """How many of the ranked sentences, whose calibrated probabilities these are, reach the level; at least 1."""
    return max(1, int((np.asarray(ranked) >= level).sum()))


def by_share(sentences: int, k: int, share: float = SHARE) -> int:
    """This share of an article's sentences, rounded up; at least 1 and at most k."""
    return max(1, min(k, math.ceil(share * sentences)))
