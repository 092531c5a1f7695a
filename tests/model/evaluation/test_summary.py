"""The summary of a ranking over articles, with numbers worked out by hand."""

import pytest

from model.evaluation.intervals import Estimate
from model.evaluation.metrics import ARTICLE_METRICS
from model.evaluation.summary import counts_of, fit_of, mean_difference, mean_interval, metrics_of, values_of

# Of the first article the better-scored of two sentences is key: all is right. Of the second the worse one is.
TRUTHS = [[1, 0], [0, 1]]
COSINES = [[1.0, 0.0], [0.5, 0.0]]


def test_the_values_of_each_measure_are_in_step_with_the_articles():
    values = values_of(TRUTHS, COSINES)
    assert list(values) == list(ARTICLE_METRICS)
    assert values["r_precision"] == [1.0, 0.0] and values["average_precision"] == [1.0, 0.5]
    assert values["recall_at_3"] == [1.0, 1.0]
    assert values_of([[0, 0]], [[0.2, 0.1]], {"r_precision": ARTICLE_METRICS["r_precision"]}) == {"r_precision": [0.0]}
    with pytest.raises(ValueError, match="shorter"):
        values_of(TRUTHS, COSINES[:1])


def test_the_metrics_are_the_means_by_the_names_that_are_stored():
    found = metrics_of(values_of(TRUTHS, COSINES), TRUTHS, COSINES)
    # Exports write the columns in this order.
    assert list(found) == [
        "arp",
        "arp_low",
        "arp_high",
        "mean_average_precision",
        "precision_at_1",
        "recall_at_3",
        "recall_at_5",
        "ndcg_at_20",
        "mse",
        "pearson",
    ]
    assert (found["arp"], found["mean_average_precision"], found["precision_at_1"]) == (0.5, 0.75, 0.5)
    # Of two articles, one right and one wrong, a resampling may hold one of them alone.
    assert (found["arp_low"], found["arp_high"]) == (0.0, 1.0)
    # The cosines are off by 0, 0, 0.5 and 1: (0.25 + 1) / 4.
    assert found["mse"] == 0.3125
    with pytest.raises(ValueError, match="0 values"):
        metrics_of(values_of([], []), [], [])


def test_fit_and_counts_are_over_all_sentences_together():
    # Means: 0.5 and 0.375. The covariance is 0.25 - 0.1875, the variance of the cosines 0.3125 - 0.140625.
    assert fit_of(TRUTHS, COSINES)["pearson"] == pytest.approx(0.0625 / (0.5 * 0.171875**0.5))
    assert counts_of(TRUTHS) == {"articles": 2, "sentences": 4, "key_sentences": 2}
    assert fit_of([[1], [1]], [[0.5], [0.25]])["pearson"] is None


def test_an_interval_is_the_same_each_time():
    values = [0.0, 0.1, 0.4, 0.9]
    assert mean_interval(values) == mean_interval(values)
    assert mean_interval([0.5]).low == mean_interval([0.5]).high == 0.5


def test_a_difference_pairs_the_articles():
    # Unpaired, the interval of these would hold 0; every article gains the same.
    gained = mean_difference([0.1, 0.6, 1.0], [0.0, 0.5, 0.9])
    assert gained == Estimate(pytest.approx(0.1), pytest.approx(0.1), pytest.approx(0.1))
    with pytest.raises(ValueError, match="2 values after and 1 before"):
        mean_difference([0.1, 0.2], [0.1])
