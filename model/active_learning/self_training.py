"""Self-training (Scudder 1965): what was learnt from a few sentences labels many unjudged ones, and learns again.

It lifts the ranking of topics by ten sentences (docs/measurements/ranking.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model.active_learning.taught import UNLABELLED_WEIGHT
from model.active_learning.wording import Wording, calibrated, fit_wording, held_out

# The share of unlabelled sentences that is taken as key: full texts have about as many key sentences, abstracts more.
LIKELY = 0.02
UNLIKELY = 8  # for each of these, by lot, of the less likely half
FEWEST = 250  # unlabelled sentences: of fewer, the likeliest are too few to teach


@dataclass(frozen=True, eq=False)
class Labelled:
    """Sentences with labels, 0 or 1, of shape (n,), their vectors (n, dimension), or None, and how much each counts,
    shape (n,)."""

    texts: Sequence[str]
    vectors: np.ndarray | None
    truth: np.ndarray
    weights: np.ndarray

    def part(self, rows: np.ndarray) -> "Labelled":
        """Some of them, by places or by a mask of shape (n,)."""
        texts = [self.texts[place] for place in np.arange(len(self.texts))[rows].tolist()]
        vectors = None if self.vectors is None else self.vectors[rows]
        return Labelled(texts, vectors, self.truth[rows], self.weights[rows])

    def fitted(self) -> Wording:
        """What is learnt of them. Raises ValueError where either label is missing."""
        return fit_wording(self.texts, self.vectors, self.truth, weights=self.weights)


@dataclass(frozen=True, eq=False)
class Unlabelled:
    """Unjudged sentences, their vectors (n, dimension), or None, and what else ranks them, as log odds,
    shape (n,)."""

    texts: Sequence[str]
    vectors: np.ndarray | None
    other: np.ndarray

    def self_trained(self, first: Wording, labelled: Labelled) -> Wording:
        """What is learnt of labelled sentences and of the ones here that `first` finds likeliest and unlikely; `first`
        itself where there are fewer than FEWEST."""
        if len(self.texts) < FEWEST:
            return first
        order = np.argsort(-(first.log_odds(self.texts, self.vectors) + self.other), kind="stable")
        likely = order[: round(LIKELY * len(order))]
        unlikely = np.random.default_rng(0).permutation(order[len(order) // 2 :])[: UNLIKELY * len(likely)]
        rows = np.concatenate([likely, unlikely])
        vectors = None
        if labelled.vectors is not None and self.vectors is not None:
            vectors = np.vstack([labelled.vectors, self.vectors[rows]])
        both = Labelled(
            [*labelled.texts, *(self.texts[row] for row in rows.tolist())],
            vectors,
            np.concatenate([labelled.truth, np.arange(len(rows)) < len(likely)]),
            np.concatenate([labelled.weights, np.full(len(rows), UNLABELLED_WEIGHT)]),
        )
        return both.fitted()


def fit_self_trained(labelled: Labelled, unlabelled: Unlabelled, articles: np.ndarray | None = None) -> Wording:
    """What is learnt of both. Calibrated by the articles of the labelled sentences, shape (n,), where they are given.

    Raises ValueError where either label is missing.
    """
    if len(unlabelled.texts) < FEWEST:
        return fit_wording(labelled.texts, labelled.vectors, labelled.truth, articles, labelled.weights)

    def ranked(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        part, asked = labelled.part(train), labelled.part(test)
        return unlabelled.self_trained(part.fitted(), part).log_odds(asked.texts, asked.vectors)

    found = unlabelled.self_trained(labelled.fitted(), labelled)
    return found if articles is None else calibrated(found, held_out(labelled.truth, articles, ranked), labelled.truth)
