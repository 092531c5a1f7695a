"""What a report says of a ranking beyond its metrics: which predictions were right, in which parts of the articles they
stand, and at which score to cut off.

An article's predictions are its R best-ranked sentences, R being its number of key sentences.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any

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
    known = {at: AUDITED[word] for at, word in audited.items()} | dict.fromkeys(keys, PredictionOutcome.TRUE)
    predicted = order[: len(keys)].tolist()
    found = [(at, int(ranks[at]), known.get(at, PredictionOutcome.NOT_AUDITED)) for at in predicted]
    return found + [(at, int(ranks[at]), PredictionOutcome.MISSED) for at in keys if at not in predicted]


def confidence(cosines: Iterable[tuple[str, float]], names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """n, mean and sd (n - 1) of the cosines of each outcome, given as (outcome, cosine) of each sentence.

    In the order of `names`, with an outcome that no sentence has; a KeyError for one that is not named. None for the
    mean of nothing and the deviation of one.
    """
    found: dict[str, list[float]] = {name: [] for name in names}
    for outcome, cosine in cosines:
        found[outcome].append(cosine)
    return {
        name: {
            "n": len(values),
            "mean": float(np.mean(values)) if values else None,
            "sd": float(np.std(values, ddof=1)) if len(values) > 1 else None,
        }
        for name, values in found.items()
    }


def by_place(names: Sequence[str], places: Numbers, labels: Numbers, predicted: Numbers) -> list[dict[str, Any]]:
    """Sentences, key sentences, predictions and true predictions in each part of the articles, with its name.

    `places` holds each sentence's index into `names`. All have shape (n,).
    """
    truth, chosen = np.asarray(labels) > 0, np.asarray(predicted, dtype=bool)
    kinds = {"sentences": np.ones(len(truth)), "key": truth, "predicted": chosen, "true": truth & chosen}
    counts = {kind: np.bincount(places, given, len(names)).astype(int).tolist() for kind, given in kinds.items()}
    return [
        {"name": name, **{kind: count[number] for kind, count in counts.items()}} for number, name in enumerate(names)
    ]
