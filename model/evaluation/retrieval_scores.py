"""Measures of a search against judgements: of each question by itself, and of two systems on the same questions.

Grades are whole numbers; a document of grade 1 or more is relevant, an unjudged one is not. All measures are defined as
in trec_eval, whose rule for equal scores is `in_order`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from model.evaluation.discovery import loss, recall_after, time_to_discovery, work_saved
from model.evaluation.intervals import sign_flip

Grades = Mapping[str, int]


def in_order(scores: Mapping[str, float]) -> list[str]:
    """Documents by score, highest first; of equal ones the last in the alphabet comes first, as in trec_eval."""
    return sorted(sorted(scores, reverse=True), key=lambda key: -scores[key])


def _gain(gains: np.ndarray) -> float:
    """Of grades in an order, each over log2(rank + 1)."""
    return float(np.sum(gains / np.log2(np.arange(2, len(gains) + 2))))


def _average_precision(gains: np.ndarray, best: np.ndarray) -> float:
    """Over all relevant documents, the precision at the rank of each, 0 for one not found."""
    found = gains > 0
    return float((np.cumsum(found) / np.arange(1, len(found) + 1)) @ found / len(best))


# By the names under which commands print them; 0 to 1. Each takes the grades in the order of a ranking, and the grades
# of all relevant documents, the best first, at least one. Source of nDCG: Jarvelin and Kekalainen 2002.
MEASURES: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "ndcg_at_10": lambda gains, best: _gain(gains[:10]) / _gain(best[:10]),
    "precision_at_10": lambda gains, best: np.count_nonzero(gains[:10]) / 10,
    "r_precision": lambda gains, best: np.count_nonzero(gains[: len(best)]) / len(best),
    "recall_at_100": lambda gains, best: np.count_nonzero(gains[:100]) / len(best),
    "average_precision": _average_precision,
}


def measured(ranked: Sequence[str], grades: Grades) -> dict[str, float]:
    """All MEASURES of one question; 0 where nothing is relevant."""
    best = np.array(sorted((grade for grade in grades.values() if grade > 0), reverse=True), dtype=float)
    gains = np.array([max(0, grades.get(key, 0)) for key in ranked], dtype=float)
    return {name: float(measure(gains, best)) if best.size else 0.0 for name, measure in MEASURES.items()}


def means_of(questions: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each measure over questions, each with the values of `measured`."""
    every = list(questions)
    return {name: float(np.mean([own[name] for own in every])) for name in MEASURES}


def compared(systems: Mapping[str, Sequence[Mapping[str, float]]]) -> dict[str, Any]:
    """The means of several systems' measures over the same questions, and p of the difference in nDCG@10 that "fused"
    makes to "untrained"; as versions hold them."""
    means = {
        name: {measure: round(value, 4) for measure, value in means_of(questions).items()}
        for name, questions in systems.items()
    }
    gained = [[own["ndcg_at_10"] for own in systems[name]] for name in ("fused", "untrained")]
    return {"cross_validated": means, "p": permutation_p(*gained)}


def relevant_in(grades: Grades) -> int:
    """How many documents are relevant."""
    return sum(grade > 0 for grade in grades.values())


def permutation_p(after: Sequence[float], before: Sequence[float]) -> float:
    """Two-sided p value of the paired permutation test: how often so large a mean difference comes by chance, 0 to 1.

    Values by question, in step. ValueError where they are not of the same questions. Source: Smucker et al. 2007.
    """
    if len(after) != len(before):
        raise ValueError(f"{len(after)} values after and {len(before)} before; they must be of the same questions")
    differences = np.subtract(after, before)
    return min(1.0, 2 * min(sign_flip(list(differences)), sign_flip(list(-differences))))


def screened(included: Sequence[bool]) -> dict[str, float | None]:
    """How soon the included records of a review were shown, in the order in which they were, as ASReview defines it.

    The work saved at 95% of them, None where it is never reached. Their shares among the first tenth, fifth and half
    of all records. Then the loss, the mean place of an included record (ATD), and the NDCG of the whole order.
    """
    found = [int(each) for each in included]
    every, total = len(found), sum(found)
    shares = {f"recall_at_{share}_percent": recall_after(found, total, every, share / 100) for share in (10, 20, 50)}
    return {
        "wss_at_95": work_saved(found, [1] * every, total, every),
        **shares,
        "loss": loss(found),
        "atd": time_to_discovery(found, every),
        "ndcg": _gain(np.array(found, dtype=float)) / _gain(np.ones(total)) if total else None,
    }
