"""What a report says of a ranking beyond its metrics: what became of the predictions, where they stand, where to cut.

An article's predictions are its R best-ranked sentences, R being its number of key sentences.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np

from model.metrics import (
    Interval,
    average_precision,
    bootstrap_interval,
    precision_at_k,
    r_precision,
    recall_at_k,
    threshold_curve,
)

CUTS = (1, 3, 5, 10)
# The measures of one article in a report, in the order of its table; None where the article does not count.
MEASURES: dict[str, Callable[[Sequence[float], Sequence[float]], float | None]] = {
    "r_precision": r_precision,
    "average_precision": average_precision,
    **{f"precision_at_{k}": partial(precision_at_k, k=k) for k in CUTS},
    **{f"recall_at_{k}": partial(recall_at_k, k=k) for k in CUTS},
}


class Outcome(StrEnum):
    """What became of a prediction, and of a key sentence that was not predicted."""

    TRUE = "true"
    CORRECT = "correct after the audit"
    INCONCLUSIVE = "inconclusive"
    WRONG = "wrong"
    NOT_AUDITED = "not audited"
    MISSED = "missed key sentence"


# The words of the audit for a prediction that the labels call wrong.
AUDITED = {"correct": Outcome.CORRECT, "inconclusive": Outcome.INCONCLUSIVE, "wrong": Outcome.WRONG}


def top_r(labels: Sequence[float], scores: Sequence[float]) -> np.ndarray:
    """Positions of the R best-scored sentences, best first, ties by position; empty without key sentences."""
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
    return order[: int(np.sum(np.asarray(labels) > 0))]


def outcomes(
    labels: Sequence[float], scores: Sequence[float], audited: Mapping[int, str]
) -> list[tuple[int, int, Outcome]]:
    """(position, rank from 1, outcome) of every prediction of one article, then of the key sentences it missed.

    `audited` is {position: correct, inconclusive or wrong}; a ValueError names any other word.
    """
    if unknown := set(audited.values()) - set(AUDITED):
        raise ValueError(f"audit verdicts {sorted(unknown)} are none of {', '.join(AUDITED)}")
    truth = np.asarray(labels)
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
    ranks = np.empty(len(order), dtype=int)
    ranks[order] = np.arange(1, len(order) + 1)
    predicted = top_r(labels, scores)
    found = [(int(position), int(ranks[position]), _outcome(truth, int(position), audited)) for position in predicted]
    missed = sorted(set(np.flatnonzero(truth > 0).tolist()) - set(predicted.tolist()))
    return found + [(position, int(ranks[position]), Outcome.MISSED) for position in missed]


def _outcome(truth: np.ndarray, position: int, audited: Mapping[int, str]) -> Outcome:
    if truth[position] > 0:
        return Outcome.TRUE
    return AUDITED[audited[position]] if position in audited else Outcome.NOT_AUDITED


@dataclass(frozen=True, slots=True)
class Spread:
    """How many values, their mean and their standard deviation (n - 1); None where there are too few."""

    n: int
    mean: float | None
    sd: float | None


def spread(values: Sequence[float]) -> Spread:
    """The spread of some values; no mean for none, no deviation for fewer than two."""
    given = np.asarray(values, dtype=float)
    mean = float(given.mean()) if given.size else None
    return Spread(given.size, mean, float(given.std(ddof=1)) if given.size > 1 else None)


def difference(after: Sequence[float], before: Sequence[float], generator: np.random.Generator) -> Interval:
    """Mean of the articles' differences, after less before, with its paired bootstrap interval.

    Raises ValueError where the two are not of the same articles.
    """
    if len(after) != len(before):
        raise ValueError(f"{len(after)} values after and {len(before)} before; they must be of the same articles")
    return bootstrap_interval(np.asarray(after, dtype=float) - np.asarray(before, dtype=float), generator)


@dataclass(frozen=True, slots=True)
class Place:
    """One part of the articles: its sentences, key sentences, predictions, and true predictions."""

    name: str
    sentences: int
    key: int
    predicted: int
    true: int


def by_place(
    names: Iterable[str], places: Sequence[int], labels: Sequence[float], predicted: Sequence[bool]
) -> list[Place]:
    """Counts for each place; `places` holds each sentence's index into `names`. All have shape (n,)."""
    where, truth, chosen = np.asarray(places, dtype=int), np.asarray(labels) > 0, np.asarray(predicted, dtype=bool)
    return [
        Place(
            name,
            int((where == number).sum()),
            int(truth[where == number].sum()),
            int(chosen[where == number].sum()),
            int((truth & chosen)[where == number].sum()),
        )
        for number, name in enumerate(names)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class CutOffs:
    """At each threshold: key sentences at or over it, and all sentences at or over it."""

    thresholds: np.ndarray
    key: np.ndarray
    sentences: np.ndarray

    def best(self, key_sentences: int) -> int:
        """Index of the threshold with the highest F1, 2 key / (sentences + all key); the lowest of equal ones."""
        return int(np.argmax(2 * self.key / np.maximum(self.sentences + key_sentences, 1)))


def cut_offs(labels: Sequence[float], cosines: Sequence[float]) -> CutOffs:
    """Counts at the thresholds of the threshold curve, 0.00 to 1.00."""
    truth, values = np.asarray(labels) > 0, np.asarray(cosines, dtype=float)
    at = threshold_curve(labels, cosines).thresholds
    over, key = np.sort(values), np.sort(values[truth])
    return CutOffs(at, key.size - np.searchsorted(key, at), over.size - np.searchsorted(over, at))
