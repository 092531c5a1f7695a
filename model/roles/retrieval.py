"""How well vectors bring sentences of the same function together, and how often labels are right."""

from collections.abc import Sequence

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

from model.vectors import unit

CHUNK = 512  # queries at once: 30,000 candidates are 60 MB of cosines


class NothingShared(ValueError):
    """No label occurs twice: no sentence has another one of its label."""


def nearest_same(vectors: np.ndarray, labels: Sequence[str]) -> dict[str, float]:
    """P@1 and MAP@R with each sentence once the query and all others its candidates, by cosine.

    P@1: the nearest has the query's label. MAP@R: R others have that label; the precision at the rank of each right one
    of the first R is summed and divided by R (Musgrave et al. 2020). A query whose label no other shares is left out.
    vectors: (n, d), of any length. Equal cosines keep the order of the sentences. Raises NothingShared.
    """
    rows = unit(vectors).astype(np.float32)
    _, codes = np.unique(np.asarray(labels), return_inverse=True)
    others = np.bincount(codes)[codes] - 1
    first, average = [], []
    for start in range(0, len(rows), CHUNK):
        cosines = rows[start : start + CHUNK] @ rows.T
        own = np.arange(len(cosines))
        cosines[own, start + own] = -np.inf
        most = int(others[start : start + CHUNK].max())
        for row in np.flatnonzero(others[start : start + CHUNK] > 0):
            ranked = _top(cosines[row], min(most, int(others[start + row])))
            right = codes[ranked] == codes[start + row]
            precisions = np.cumsum(right) / np.arange(1, len(right) + 1)
            first.append(float(right[0]))
            average.append(float((precisions * right).sum() / len(right)))
    if not first:
        raise NothingShared("no two sentences share a label")
    return {"p_at_1": float(np.mean(first)), "map_at_r": float(np.mean(average))}


def _top(cosines: np.ndarray, count: int) -> np.ndarray:
    """The places of the highest cosines, highest first."""
    if count * 4 < len(cosines):
        among = np.flatnonzero(cosines >= np.partition(cosines, -count)[-count])
        return among[np.argsort(-cosines[among], kind="stable")][:count]
    return np.argsort(-cosines, kind="stable")[:count]


def nearer_same(sentence: np.ndarray, same: np.ndarray, other: np.ndarray) -> float:
    """The share of triplets whose sentence is nearer, by cosine, to `same`; a tie counts half; each (n, d)."""
    one, near, far = (unit(each) for each in (sentence, same, other))
    nearer = (one * near).sum(axis=1) - (one * far).sum(axis=1)
    return float(np.mean((nearer > 0) + 0.5 * (nearer == 0)))


def right_labels(found: np.ndarray, wanted: np.ndarray) -> dict[str, float]:
    """Accuracy, and F1 by label weighted by how often each is wanted; arrays (n,) of label numbers."""
    f1 = f1_score(wanted, found, labels=np.unique(wanted), average="weighted", zero_division=0)
    return {"accuracy": float(accuracy_score(wanted, found)), "weighted_f1": float(f1)}
