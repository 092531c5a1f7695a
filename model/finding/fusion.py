"""Several rankings of the same documents made into one, by shares of the best score."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np


def share_fusion(rankings: Iterable[tuple[float, Mapping[str, float]]]) -> dict[str, float]:
    """Sum over the rankings, each (weight, scores by key), of weight times the score as a share of the ranking's best
    one, by key; negative scores and missing keys count 0.

    In the order of the sums, the highest first; where these are equal, by key. Unlike ranks, shares tell a clear winner
    from the first of many that are alike. A ranking whose best score is not above 0 has no say.
    """
    sums: dict[str, float] = {}
    for weight, scores in rankings:
        best = max(scores.values(), default=0.0)
        for key, score in scores.items():
            share = max(0.0, score) / best if best > 0 else 0.0
            sums[key] = sums.get(key, 0.0) + weight * share
    return in_order(sums)


def in_order(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores by key, the highest first, and by key where scores are equal."""
    return dict(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])))


def best_first(keys: Sequence[str], scores: np.ndarray | Sequence[float]) -> list[tuple[str, float]]:
    """(key, score), the highest score first; equal scores keep the order of the keys given."""
    order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
    return [(keys[place], float(scores[place])) for place in order.tolist()]
