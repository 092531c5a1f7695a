"""The metrics of a ranking over many articles, as evaluations, reports and experiments tell them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from model.evaluation.intervals import Estimate
from model.evaluation.metrics import (
    ARTICLE_METRICS,
    Numbers,
    bootstrap_interval,
    mean_squared_error,
    pearson,
)

# One seed for all: an interval computed twice from the same numbers is the same.
BOOTSTRAP_SEED = 0

Measures = Mapping[str, Callable[[Numbers, Numbers], float | None]]
ByArticle = Sequence[Numbers]


def values_of(truths: ByArticle, scores: ByArticle, measures: Measures = ARTICLE_METRICS) -> dict[str, list[float]]:
    """Each measure of each article, in step with the articles; 0 for one without key sentences.

    truths, scores: of each article its labels, 0 or 1, and scores, shape (n,).
    """
    return {
        name: [measure(*article) or 0.0 for article in zip(truths, scores, strict=True)]
        for name, measure in measures.items()
    }


def mean_interval(values: Numbers) -> Estimate:
    """The mean of one value an article with its 95% bootstrap interval, the same each time. ValueError for none."""
    return bootstrap_interval(values, np.random.default_rng(BOOTSTRAP_SEED))


def mean_difference(after: Numbers, before: Numbers) -> Estimate:
    """Mean of the articles' differences, after less before, with its paired bootstrap interval.

    Raises ValueError where the two are not of the same articles.
    """
    if len(after) != len(before):
        raise ValueError(f"{len(after)} values after and {len(before)} before; they must be of the same articles")
    return mean_interval(np.asarray(after, dtype=float) - np.asarray(before, dtype=float))


def as_stored(mean: Estimate) -> dict[str, float]:
    """A mean and its bounds by the names under which evaluations and reports store them."""
    return {"mean": mean.value, "low": mean.low, "high": mean.high}


def metrics_of(values: Mapping[str, Sequence[float]], truths: ByArticle, cosines: ByArticle) -> dict[str, Any]:
    """The means of ARTICLE_METRICS by the names under which evaluations and experiments store them, MSE and PCC.

    The mean R-precision is `arp`, its interval `arp_low` to `arp_high`; the mean average precision is
    `mean_average_precision`. Raises ValueError without articles.
    """
    arp = mean_interval(values["r_precision"])
    means = {name: float(np.mean(own)) for name, own in values.items() if name != "r_precision"}
    return {
        "arp": arp.value,
        "arp_low": arp.low,
        "arp_high": arp.high,
        "mean_average_precision": means.pop("average_precision"),
        **means,
        **fit_of(truths, cosines),
    }


def fit_of(truths: ByArticle, cosines: ByArticle) -> dict[str, float | None]:
    """How close the cosines of all sentences together are to their labels: MSE and PCC."""
    truth, cosine = np.concatenate(truths), np.concatenate(cosines)
    return {"mse": mean_squared_error(truth, cosine), "pearson": pearson(truth, cosine)}


def counts_of(truths: ByArticle) -> dict[str, int]:
    """The counts of articles, sentences and key sentences."""
    return {
        "articles": len(truths),
        "sentences": sum(len(truth) for truth in truths),
        "key_sentences": int(sum(np.sum(truth) for truth in truths)),
    }
