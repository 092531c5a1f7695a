"""What must be judged before a ranking is measured, and a measure of what was judged alone."""

import numpy as np
import pytest

from model.evaluation.pooling import LEAST_DEPTH, bpref, is_fair, pool

SCORES = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0]


def test_the_pool_is_the_first_r_or_five_whichever_is_more():
    assert pool([0] * 8, SCORES) == pool([1, 0, 0, 0, 0, 0, 0, 1], SCORES) == [0, 1, 2, 3, 4]
    assert pool([1] * 7 + [0], SCORES) == [0, 1, 2, 3, 4, 5, 6]
    assert pool([1, 0], [1.0, 1.0]) == [0, 1]  # fewer sentences than five, ties in reading order
    assert LEAST_DEPTH == 5


def test_an_article_is_fair_where_all_of_the_pool_was_judged():
    judged = np.array([True] * 5 + [False] * 3)
    assert is_fair([1, 0, 0, 0, 0, 0, 0, 0], judged, SCORES)
    assert not is_fair([1, 0, 0, 0, 0, 0, 0, 0], judged, SCORES[::-1])
    assert not is_fair([1] * 5 + [0, 0, 1], judged, SCORES)  # six key sentences: the sixth is to be judged too


def test_bpref_counts_judged_sentences_alone():
    judged = np.array([True, True, False, True, True, False, True, False])
    # In order: not key, key, (unjudged), not key, key, (unjudged), not key: above the keys stand 1 and 2 of at most 2.
    assert bpref([0, 1, 0, 0, 1, 0, 0, 0], judged, SCORES) == pytest.approx(((1 - 1 / 2) + (1 - 2 / 2)) / 2)
    assert bpref([1, 1, 0, 0, 0, 0, 0, 0], np.array([True] * 2 + [False] * 6), SCORES) == 1.0
    assert bpref([0] * 8, judged, SCORES) is None


def test_a_ranking_whose_finds_were_never_judged_does_not_lose_by_bpref():
    # The first ranking proposed its first three; the second puts unjudged sentences first, then the key one.
    judged = np.array([True, True, True, False, False, False])
    labels = [1, 0, 0, 0, 0, 0]
    assert bpref(labels, judged, [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]) == 1.0
    assert bpref(labels, judged, [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]) == 1.0
