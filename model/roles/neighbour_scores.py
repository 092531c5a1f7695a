"""Roles of the sentences of abstracts by their words, by the words of the sentences around, and by their places."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import sparse

from model.roles.text_scores import fitted_apart

TENTHS, ENDS = 10, 4
PLACES = TENTHS + 2 * ENDS
# How much the words of a neighbour and the place count relative to the sentence's words: the first that were tried,
# measured on the validation parts (docs/measurements/roles.md).
NEIGHBOUR, PLACE = 0.5, 0.5


def places_of(length: int) -> np.ndarray:
    """Where each sentence of an abstract stands, shape (length, PLACES): its tenth, and how near it is to an end."""
    at = np.arange(length)
    found = np.zeros((length, PLACES), dtype=np.float32)
    found[at, at * TENTHS // max(length, 1)] = 1
    for near in range(min(ENDS, length)):
        found[near, TENTHS + near] = 1
        found[length - 1 - near, TENTHS + ENDS + near] = 1
    return found


class NeighbourScorer:
    """Weights by role, shape (3 terms + PLACES + 1, 5), float16. They are of the terms of a sentence, of the one before
    and of the one behind, and of places, with the intercepts last."""

    def __init__(self, weights: np.ndarray) -> None:
        self._weights = weights.astype(np.float32)
        self._terms = (len(weights) - PLACES - 1) // 3

    def __call__(self, features: Any, lengths: Sequence[int]) -> np.ndarray:
        """Signed distances from each role's margin, shape (n, 5): features (n, terms) of abstracts of these lengths."""
        own, before, behind = (self._weights[k * self._terms : (k + 1) * self._terms] for k in range(3))
        scores = features @ own
        ends = np.cumsum(lengths)
        last = np.zeros(len(scores), dtype=bool)
        last[ends[np.asarray(lengths) > 0] - 1] = True
        follows = np.flatnonzero(~last[:-1])  # of whom the next sentence is of the same abstract
        scores[follows + 1] += NEIGHBOUR * (features @ before)[follows]
        scores[follows] += NEIGHBOUR * (features @ behind)[follows + 1]
        places = np.concatenate([places_of(length) for length in lengths]) if len(lengths) else np.zeros((0, PLACES))
        return np.asarray(scores + PLACE * places @ self._weights[-PLACES - 1 : -1] + self._weights[-1], np.float32)

    @classmethod
    def fit(
        cls, features: Callable[[np.ndarray], Any], roles: np.ndarray, lengths: Sequence[int], seed: int
    ) -> tuple[Self, np.ndarray]:
        """The scorer of all labelled sentences, and what scorers that had not seen its abstract say of each, (n, 5).

        features: by the sentences that may be looked at, bool[n], those of all, (n, terms); roles: (n,), places in
        ROLES, negative where unknown; folds are by abstract.
        """
        owner = np.repeat(np.arange(len(lengths)), lengths)
        weights, unseen = fitted_apart(lambda seen: _with_neighbours(features(seen), lengths), roles, owner, seed)
        # float16 at once: the learnt and the stored weights are the same
        return cls(weights.astype(np.float16)), unseen

    def save(self, folder: Path) -> None:
        """Writes its one file."""
        np.save(folder / "around.npy", self._weights.astype(np.float16))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads the weights from a model's folder."""
        return cls(np.load(folder / "around.npy", allow_pickle=False))


def _with_neighbours(features: Any, lengths: Sequence[int]) -> Any:
    count = features.shape[0]
    ends = np.cumsum(lengths)
    first, last = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    first[ends - np.asarray(lengths)], last[ends - 1] = True, True
    before = sparse.diags_array((~first[1:]).astype(np.float32), offsets=-1, shape=(count, count)) @ features
    behind = sparse.diags_array((~last[:-1]).astype(np.float32), offsets=1, shape=(count, count)) @ features
    places = sparse.csr_array(np.concatenate([places_of(length) for length in lengths]))
    return sparse.hstack([features, before * NEIGHBOUR, behind * NEIGHBOUR, places * PLACE]).tocsr()
