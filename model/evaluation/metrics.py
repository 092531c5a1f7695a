"""Measures of a ranking against gold labels. Labels are 0 or 1, scores are higher for likelier key sentences.

Where scores tie, the earlier sentence ranks first, as the reader meets it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from model.evaluation.intervals import Estimate

BINS = 200  # of cosines, from -1 to 1
ROUNDS = 2_000  # of a bootstrap
# Where a measure takes numbers, an array of shape (n,) does as well as a list.
Numbers = np.ndarray | Sequence[float]


def r_precision(labels: Numbers, scores: Numbers) -> float | None:
    """Share of the R best-scored sentences that are key, R being the number of key sentences; 0 to 1.

    None for an article without key sentences. Source: the reference method; Manning et al. 2008, section 8.4.
    """
    ranked = _ranked(labels, scores)
    key = int(ranked.sum())
    return float(ranked[:key].mean()) if key else None


def average_r_precision(articles: Sequence[tuple[Numbers, Numbers]]) -> float | None:
    """ARP: the mean R-precision over articles, each (labels, scores); 0 to 1.

    Articles without key sentences do not count; None where no article has any. Source: the reference method.
    """
    counted = [value for own in articles if (value := r_precision(*own)) is not None]
    return float(np.mean(counted)) if counted else None


def precision_at_k(labels: Numbers, scores: Numbers, k: int) -> float | None:
    """Key sentences among the k best over k, or over n where the article has only n < k sentences; 0 to 1.

    None for an empty article. Raises ValueError for k below 1. Source: Manning et al. 2008, section 8.4.
    """
    _check_k(k)
    ranked = _ranked(labels, scores)
    return float(ranked[:k].mean()) if ranked.size else None


def recall_at_k(labels: Numbers, scores: Numbers, k: int) -> float | None:
    """Share of the key sentences that are among the k best; 0 to 1; at best k / R.

    None for an article without key sentences. Raises ValueError for k below 1. Source: Manning et al. 2008, 8.3.
    """
    _check_k(k)
    ranked = _ranked(labels, scores)
    return float(ranked[:k].sum() / ranked.sum()) if ranked.sum() else None


def average_precision(labels: Numbers, scores: Numbers) -> float | None:
    """Mean, over the key sentences, of the precision at each one's rank: (1/R) sum_k P@k label_k; 0 to 1.

    None without key sentences. Ties by position, unlike scikit-learn. Source: Manning et al. 2008, section 8.4.
    """
    ranked = _ranked(labels, scores)
    if not ranked.sum():
        return None
    precisions = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    return float((precisions * ranked).sum() / ranked.sum())


def ndcg_at_k(labels: Numbers, scores: Numbers, k: int) -> float | None:
    """How high the key sentences stand among the k best, over the best order there is; 0 to 1.

    The sentence at rank i gains label / log2(i + 1). A key sentence that moves up counts at every rank, where
    R-precision counts only those that cross one rank. None for an article without key sentences.
    Raises ValueError for k below 1. Source: Järvelin and Kekäläinen 2002.
    """
    _check_k(k)
    ranked = _ranked(labels, scores)
    gains = 1 / np.log2(np.arange(min(k, len(ranked))) + 2)
    best = gains[: int(ranked.sum())].sum()
    return float(ranked[:k] @ gains / best) if best else None


def area_under_roc(labels: Numbers, scores: Numbers) -> float | None:
    """The probability that one that is key scores above one that is not, equal scores counting half; 0 to 1.

    None where either kind is missing. Source: Hanley and McNeil 1982.
    """
    truth, guess = _pair(labels, scores)
    key, others = guess[truth > 0], np.sort(guess[truth <= 0])
    if not key.size or not others.size:
        return None
    below = np.searchsorted(others, key, "left") + np.searchsorted(others, key, "right")
    return float(below.mean() / 2 / others.size)


def mean_squared_error(labels: Numbers, cosines: Numbers) -> float | None:
    """MSE of cosines to labels, (1/n) sum (cosine - label)^2; 0 to 4 for cosines; None where there are none."""
    truth, guess = _pair(labels, cosines)
    return float(np.mean((guess - truth) ** 2)) if truth.size else None


def pearson(labels: Numbers, cosines: Numbers) -> float | None:
    """PCC, the covariance over both standard deviations; -1 to 1; None where either does not vary or n < 2."""
    truth, guess = _pair(labels, cosines)
    if truth.size < 2 or np.ptp(truth) == 0 or np.ptp(guess) == 0:
        return None
    return float(np.clip(np.corrcoef(truth, guess)[0, 1], -1.0, 1.0))


def bootstrap_interval(values: Numbers, generator: np.random.Generator, level: float = 0.95) -> Estimate:
    """Percentile bootstrap of the mean of one value an article: articles are drawn with replacement.

    One value gives an interval of width 0. ValueError for no values or a level outside (0, 1). Source: Efron 1979.
    """
    sample = np.asarray(values, dtype=float)
    if not sample.size or not 0 < level < 1:
        raise ValueError(f"{sample.size} values at level {level}; needs at least one value and a level between 0 and 1")
    means = sample[generator.integers(0, sample.size, (ROUNDS, sample.size))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(sample.mean()), float(low), float(high))


def counts_by_cosine(labels: Numbers, cosines: Numbers) -> dict[str, Any]:
    """Sentences by their cosines, JSON-able: a histogram by label, and what a threshold from 0.00 to 1.00 would find.

    `key` and `other` count sentences in bins of 0.01 as in the reference method: bin i holds edges[i] <= cosine <
    edges[i + 1]; outside is counted at the ends, and a cosine within 1e-9 below an edge as on it. At each of the
    `thresholds`: `key_over` of the key sentences and `sentences_over` of all have at least that cosine; `found` is the
    share of the key sentences (None where there are none), `prevalence` the share that is key of those over it. `best`
    is the place of the highest F1, 2 key / (sentences + all key), the lowest of equal ones.
    """
    truth, values = _pair(labels, cosines)
    index = np.clip(np.floor((values + 1) * BINS / 2 + 1e-9).astype(int), 0, BINS - 1)
    thresholds = np.round(np.arange(101) / 100, 2)
    every, key = np.sort(values), np.sort(values[truth > 0])
    key_over, over = (own.size - np.searchsorted(own, thresholds) for own in (key, every))
    return {
        "edges": np.round(np.linspace(-1, 1, BINS + 1), 9).tolist(),
        "key": np.bincount(index[truth > 0], minlength=BINS).tolist(),
        "other": np.bincount(index[truth == 0], minlength=BINS).tolist(),
        "thresholds": thresholds.tolist(),
        "key_over": key_over.tolist(),
        "sentences_over": over.tolist(),
        "found": [number / key.size if key.size else None for number in key_over.tolist()],
        "prevalence": [one / n if n else None for one, n in zip(key_over.tolist(), over.tolist(), strict=True)],
        "best": int(np.argmax(2 * key_over / np.maximum(over + key.size, 1))),
    }


def _ranked(labels: Numbers, scores: Numbers) -> np.ndarray:
    truth, guess = _pair(labels, scores)
    return truth[np.argsort(-guess, kind="stable")]


def _pair(labels: Numbers, scores: Numbers) -> tuple[np.ndarray, np.ndarray]:
    truth, guess = np.asarray(labels, dtype=float), np.asarray(scores, dtype=float)
    if truth.shape != guess.shape or truth.ndim != 1:
        raise ValueError(f"labels have shape {truth.shape}, scores {guess.shape}; both must be (n,)")
    if not np.isin(truth, (0.0, 1.0)).all():
        raise ValueError(f"labels must be 0 or 1, not {sorted(set(truth.tolist()) - {0.0, 1.0})}")
    return truth, guess


def _check_k(k: int) -> None:
    if k < 1:
        raise ValueError(f"k is {k}; it must be 1 or more")


# The measures of one article's ranking, by the name that evaluations store; None means that the article does not count.
ARTICLE_METRICS: dict[str, Callable[[Numbers, Numbers], float | None]] = {
    "r_precision": r_precision,
    "average_precision": average_precision,
    "precision_at_1": lambda labels, scores: precision_at_k(labels, scores, 1),
    "recall_at_3": lambda labels, scores: recall_at_k(labels, scores, 3),
    "recall_at_5": lambda labels, scores: recall_at_k(labels, scores, 5),
    "ndcg_at_20": lambda labels, scores: ndcg_at_k(labels, scores, 20),
}
