"""What a report says of a ranking beyond its metrics: which predictions were right, in which parts of the articles they
stand, and at which score to cut off.

An article's predictions are its R best-ranked sentences, R being its number of key sentences.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np

from model.evaluation.metrics import (
    Numbers,
    average_precision,
    precision_at_k,
    r_precision,
    recall_at_k,
)

CUTS = (1, 3, 5, 10)
# The measures of one article in a report, in the order of its table; None where the article does not count.
MEASURES: dict[str, Callable[[Numbers, Numbers], float | None]] = {
    "r_precision": r_precision,
    "average_precision": average_precision,
    **{f"precision_at_{k}": partial(precision_at_k, k=k) for k in CUTS},
    **{f"recall_at_{k}": partial(recall_at_k, k=k) for k in CUTS},
}


class PredictionOutcome(StrEnum):
    """What became of a prediction, and of a key sentence that was not predicted."""

    TRUE = "true"
    CORRECT = "correct after the audit"
    INCONCLUSIVE = "inconclusive"
    WRONG = "wrong"
    NOT_AUDITED = "not audited"
    MISSED = "missed key sentence"


# The words of the audit for a prediction that the labels call wrong.
AUDITED = {
    "correct": PredictionOutcome.CORRECT,
    "inconclusive": PredictionOutcome.INCONCLUSIVE,
    "wrong": PredictionOutcome.WRONG,
}


def top_r(labels: Numbers, scores: Numbers) -> np.ndarray:
    """Positions of the R best-scored sentences, best first, ties by position; empty without key sentences."""
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
    return order[: int(np.sum(np.asarray(labels) > 0))]


def outcomes(labels: Numbers, scores: Numbers, audited: Mapping[int, str]) -> list[tuple[int, int, PredictionOutcome]]:
    """(position, rank from 1, outcome) of every prediction of one article, then of the key sentences it missed.

    `audited` is {position: correct, inconclusive or wrong}; a ValueError names any other word.
    """
    if unknown := set(audited.values()) - set(AUDITED):
        raise ValueError(f"audit verdicts {sorted(unknown)} are none of {', '.join(AUDITED)}")
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
    ranks = np.empty(len(order), dtype=int)
    ranks[order] = np.arange(1, len(order) + 1)
    keys = np.flatnonzero(np.asarray(labels) > 0).tolist()
    said = {at: AUDITED[word] for at, word in audited.items()} | dict.fromkeys(keys, PredictionOutcome.TRUE)
    predicted = order[: len(keys)].tolist()
    found = [(at, int(ranks[at]), said.get(at, PredictionOutcome.NOT_AUDITED)) for at in predicted]
    return found + [(at, int(ranks[at]), PredictionOutcome.MISSED) for at in keys if at not in predicted]


@dataclass(frozen=True, slots=True)
class Spread:
    """How many values, their mean and their standard deviation (n - 1); None where there are too few."""

    n: int
    mean: float | None
    sd: float | None


def spread(values: Numbers) -> Spread:
    """The spread of some values; no mean for none, no deviation for fewer than two."""
    given = np.asarray(values, dtype=float)
    mean = float(given.mean()) if given.size else None
    return Spread(given.size, mean, float(given.std(ddof=1)) if given.size > 1 else None)


def confidence(cosines: Iterable[tuple[str, float]], names: Iterable[str]) -> dict[str, Spread]:
    """The spread of the cosines of each outcome, given as (outcome, cosine) of each sentence.

    In the order of `names`, with an outcome that no sentence has; a KeyError for one that is not named.
    """
    found: dict[str, list[float]] = {name: [] for name in names}
    for outcome, cosine in cosines:
        found[outcome].append(cosine)
    return {name: spread(values) for name, values in found.items()}


@dataclass(frozen=True, slots=True)
class Place:
    """One part of the articles: its sentences, key sentences, predictions, and true predictions."""

    name: str
    sentences: int
    key: int
    predicted: int
    true: int


def by_place(names: Iterable[str], places: Numbers, labels: Numbers, predicted: Numbers) -> list[Place]:
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
