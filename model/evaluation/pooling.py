"""Fair comparison of rankings where not every sentence was judged: what must be judged first, and what can be said.

Labels that one ranking proposed flatter it: what another one ranks high was never looked at and counts as not key. An
article is fair to a ranking where the sentences that the measures look at, its first ones, were all judged.
"""

import numpy as np

from model.evaluation.metrics import Numbers

# Evaluations tell the recall among the first five too, and five are proposed.
LEAST_DEPTH = 5


def pool(labels: Numbers, scores: Numbers) -> list[int]:
    """Positions of the sentences that must be judged for a ranking to be measured on an article, best first.

    The first R or LEAST_DEPTH, whichever is more, R being the number of key sentences known. Ties in reading order.
    """
    depth = max(int(np.sum(labels)), LEAST_DEPTH)
    return [int(place) for place in np.argsort(-np.asarray(scores, dtype=float), kind="stable")[:depth]]


def is_fair(labels: Numbers, judged: np.ndarray, scores: Numbers) -> bool:
    """Whether all of an article's pool was judged; `judged` holds booleans, shape (n,)."""
    return bool(np.asarray(judged)[pool(labels, scores)].all())


def bpref(labels: Numbers, judged: np.ndarray, scores: Numbers) -> float | None:
    """How seldom a sentence judged as not key ranks above a key one; 0 to 1; unjudged sentences do not count.

    (1/R) sum over key sentences r of 1 - min(n above r, m) / m. n counts sentences judged as not key; m is the lesser
    of R and all such n. 1 where nothing was judged as not key. None without key sentences. Source: Buckley & Voorhees
    2004.
    """
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
    truth = np.asarray(labels)[order][np.asarray(judged)[order]]
    key = int(truth.sum())
    most = min(key, len(truth) - key)
    if not key:
        return None
    if not most:
        return 1.0
    above = np.minimum(np.cumsum(truth == 0)[truth == 1], most)
    return float(np.mean(1 - above / most))
