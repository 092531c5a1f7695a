"""Measures of an order of reading, with numbers worked out by hand."""

import pytest

from model.evaluation.discovery import (
    area_under,
    first_reaching,
    loss,
    recall_after,
    smoothed,
    time_to_discovery,
    work_saved,
)

FOUND = [2, 0, 1, 1]
LOOKED = [10, 20, 30, 40]


def test_recall_is_of_all_keys_after_a_share_of_the_articles_rounded_up():
    # 4 of 5 keys are found in 4 of 8 articles; a quarter of them are 2, a tenth of them is 1.
    assert recall_after(FOUND, 5, 8, 0.25) == pytest.approx(2 / 5)
    assert recall_after(FOUND, 5, 8, 0.10) == pytest.approx(2 / 5)
    assert recall_after(FOUND, 5, 8, 0.50) == pytest.approx(4 / 5)
    assert recall_after(FOUND, 5, 10, 0.30) == pytest.approx(3 / 5)  # not four for a rounding error of .3 * 10
    assert recall_after(FOUND, 5, 10, 0.50) is None  # five were not read
    assert recall_after(FOUND, 0, 8, 0.25) is None


def test_work_saved_counts_sentences_until_the_article_that_brings_the_recall():
    # All four keys, so .95 of them too, with the fourth article: 100 of 400 sentences looked at, 1 - .25 - .05.
    assert work_saved(FOUND, LOOKED, 4, 400) == pytest.approx(0.7)
    # 38 of 40 are .95: after 10 of 100 sentences, 1 - .1 - .05.
    assert work_saved([38, 2], [10, 90], 40, 100) == pytest.approx(0.85)
    assert work_saved(FOUND, LOOKED, 5, 400) is None
    assert work_saved(FOUND, LOOKED, 0, 400) is None
    assert work_saved([1, 1], [50, 50], 2, 100) == pytest.approx(-0.05)


def test_the_loss_is_nothing_in_the_best_order_and_all_in_the_worst():
    assert loss([1, 1, 0, 0]) == 0.0 and loss([0, 0, 1, 1]) == 1.0
    assert loss([1, 0, 0, 1]) == loss([0, 1, 1, 0]) == 0.5
    assert loss([1, 1]) is loss([0, 0]) is None


def test_time_to_discovery_is_the_mean_number_of_articles_by_key_sentence():
    # (1 + 1 + 3 + 4) / 4
    assert time_to_discovery(FOUND, 4) == pytest.approx(2.25)
    assert time_to_discovery(FOUND, 5) is None
    assert time_to_discovery([0, 0], 2) is None


def test_smoothing_averages_neighbours_and_repeats_the_ends():
    assert smoothed([0, 3, 6, 0], 3) == pytest.approx([1, 3, 3, 2])
    assert smoothed([5], 5) == pytest.approx([5])


def test_the_first_value_that_reaches_the_target_is_told_by_its_index():
    assert first_reaching([0.1, 0.5, 0.4, 0.6], 0.5) == 1
    assert first_reaching([0.1, float("nan"), 0.2], 0.15) == 2
    assert first_reaching([0.1], 0.5) is None


def test_the_area_is_the_mean_height_by_trapezoids():
    # Trapezoids of .3 * 2 and .5 * 4 over a width of 6.
    assert area_under([4, 6, 10], [0.2, 0.4, 0.6]) == pytest.approx(2.6 / 6)
    assert area_under([4, 6], [0.2, 0.4]) == pytest.approx(0.3)
    assert area_under([4, 4, 6], [0.9, 0.2, 0.4]) == pytest.approx(0.3)  # the first two lie upon each other
    assert area_under([4, 4], [0.2, 0.4]) is None
    assert area_under([4], [0.2]) is None
    assert area_under([], []) is None
