"""Measures against numbers computed by hand."""

import numpy as np
import pytest

from model.evaluation.metrics import (
    ARTICLE_METRICS,
    area_under_roc,
    average_precision,
    average_r_precision,
    bootstrap_interval,
    counts_by_cosine,
    mean_squared_error,
    ndcg_at_k,
    pearson,
    precision_at_k,
    r_precision,
    recall_at_k,
)

# By score the labels read 1, 0, 1, 0, 1: R = 3, two of the first three are key.
LABELS, SCORES = [0, 1, 1, 0, 1], [0.8, 0.9, 0.7, 0.6, 0.5]


def test_r_precision_is_the_share_of_key_sentences_among_the_first_r():
    assert r_precision(LABELS, SCORES) == pytest.approx(2 / 3)
    assert r_precision([1], [0.0]) == 1.0


def test_arp_is_the_mean_over_articles_that_have_key_sentences():
    articles = [(LABELS, SCORES), ([0, 0], [1.0, 0.5]), ([0, 1], [1.0, 0.5])]
    assert average_r_precision(articles) == pytest.approx((2 / 3 + 0) / 2)
    assert average_r_precision([]) is None


def test_the_area_under_the_roc_curve_is_the_share_of_pairs_the_right_way_round():
    assert area_under_roc([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]) == pytest.approx(3 / 4)
    assert area_under_roc([1, 0, 0], [0.5, 0.5, 0.1]) == pytest.approx(1.5 / 2)  # equal scores count half
    assert area_under_roc([1, 1], [0.5, 0.1]) is None and area_under_roc([], []) is None


def test_precision_and_recall_at_k():
    assert [precision_at_k(LABELS, SCORES, k) for k in (1, 2, 5)] == [1.0, 0.5, 0.6]
    assert precision_at_k([1, 0], [1.0, 0.5], 5) == 0.5  # only two sentences to read
    assert [recall_at_k(LABELS, SCORES, k) for k in (1, 3, 9)] == pytest.approx([1 / 3, 2 / 3, 1.0])
    with pytest.raises(ValueError, match="k is 0"):
        recall_at_k(LABELS, SCORES, 0)


def test_average_precision_is_the_mean_precision_at_the_key_ranks():
    assert average_precision(LABELS, SCORES) == pytest.approx((1 / 1 + 2 / 3 + 3 / 5) / 3)


def test_ties_rank_by_position():
    assert r_precision([1, 0], [0.5, 0.5]) == 1.0
    assert r_precision([0, 1], [0.5, 0.5]) == 0.0
    # 20 of the highest score, then 20 tied ones of which the first ten are key
    labels, scores = [1] * 20 + [1] * 10 + [0] * 10, [0.9] * 20 + [0.5] * 20
    assert r_precision(labels, scores) == average_precision(labels, scores) == 1.0


def test_ndcg_counts_every_rank():
    by_hand = (1 / np.log2(3) + 1 / np.log2(5)) / (1 + 1 / np.log2(3))
    assert ndcg_at_k([0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6], 20) == pytest.approx(by_hand)
    assert ndcg_at_k([0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6], 1) == 0.0
    assert ndcg_at_k([0, 0], [0.2, 0.1], 20) is None
    with pytest.raises(ValueError, match="k is 0; it must be 1 or more"):
        ndcg_at_k([1], [1.0], 0)


@pytest.mark.parametrize("name", ARTICLE_METRICS)
def test_every_article_metric_is_one_for_a_perfect_ranking_and_allows_no_sentences(name):
    assert ARTICLE_METRICS[name]([1, 0, 1], [0.9, 0.1, 0.8]) == 1.0
    assert ARTICLE_METRICS[name]([], []) is None


def test_mse_and_pearson():
    assert mean_squared_error([1, 0], [0.5, 0.25]) == pytest.approx((0.25 + 0.0625) / 2)
    assert mean_squared_error([], []) is None
    assert pearson([0, 0, 1, 1], [0.0, 1.0, 1.0, 2.0]) == pytest.approx(1 / 2**0.5)
    assert pearson([0, 0], [0.1, 0.9]) is None
    assert pearson([0, 1], [0.3, 0.3]) is None
    assert pearson([1], [0.3]) is None


def test_a_bootstrap_interval_is_seeded_and_holds_the_mean():
    values = [0.0, 1.0, 1.0, 1.0]
    one, again = (bootstrap_interval(values, np.random.default_rng(7)) for _ in range(2))
    assert one == again
    assert one.value == 0.75 and one.low == 0.25 and one.high == 1.0
    assert bootstrap_interval([0.5], np.random.default_rng(7)).low == 0.5
    with pytest.raises(ValueError, match="0 values"):
        bootstrap_interval([], np.random.default_rng(7))


def test_the_bounds_of_a_bootstrap_are_the_outer_quantiles_of_its_means():
    values = np.arange(10.0) ** 2
    found = bootstrap_interval(values, np.random.default_rng(3), level=0.8)
    means = np.sort(values[np.random.default_rng(3).integers(0, 10, (2000, 10))].mean(axis=1))
    # a tenth of 1,999 steps between 2,000 means is 199.9
    assert found.low == pytest.approx(0.1 * means[199] + 0.9 * means[200])
    assert found.high == pytest.approx(0.9 * means[1799] + 0.1 * means[1800])
    for level in (0, 1):
        with pytest.raises(ValueError, match=f"10 values at level {level}"):
            bootstrap_interval(values, np.random.default_rng(3), level=level)


def test_a_histogram_counts_cosines_by_label_on_the_lower_edge():
    counts = counts_by_cosine([1, 0, 0, 1, 0], [0.29, 0.29, 0.2999, 1.0, -1.0])
    assert (len(counts["edges"]), len(counts["key"]), counts["edges"][129]) == (201, 200, 0.29)
    assert (counts["key"][129], counts["other"][129]) == (1, 2)
    assert (counts["key"][199], counts["other"][0]) == (1, 1)
    assert sum(counts_by_cosine([], [])["key"]) == 0


def test_a_threshold_tells_what_it_finds_and_how_pure_that_is():
    cuts = counts_by_cosine([1, 0, 1, 0], [0.9, 0.8, 0.5, 0.1])
    at = [0, 50, 85, 95]
    assert [cuts["found"][place] for place in at] == [1.0, 1.0, 0.5, 0.0]
    assert [cuts["prevalence"][place] for place in at] == [0.5, 2 / 3, 1.0, None]
    assert (cuts["key_over"][50], cuts["sentences_over"][50]) == (2, 3)  # F1 = 2 * 2 / (3 + 2) = 0.8
    assert (cuts["key_over"][85], cuts["sentences_over"][85]) == (1, 1)  # F1 = 2 * 1 / (1 + 2) = 0.67
    assert cuts["thresholds"][cuts["best"]] == 0.11  # the lowest of those with 2 of 3
    assert set(counts_by_cosine([0], [0.5])["found"]) == {None}


def test_labels_and_scores_must_fit():
    with pytest.raises(ValueError, match="both must be"):
        r_precision([1, 0], [0.5])
    with pytest.raises(ValueError, match=r"not \[2.0\]"):
        r_precision([2.0, 0], [0.5, 0.4])
