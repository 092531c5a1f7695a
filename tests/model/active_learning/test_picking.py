"""The best sentences of all articles: in order, not all of one article, and none that says nearly the same."""

import numpy as np
import pytest

from model.active_learning.picking import MOST_OF_ARTICLE, NEARLY_SAME, pick

DIRECTIONS = np.eye(6)


def test_the_highest_scores_come_first_and_equal_ones_in_their_order():
    scores = np.array([0.2, 0.9, -np.inf, 0.2, 0.5])
    articles = np.arange(5)
    assert pick(scores, articles, None, 3) == [1, 4, 0]
    assert pick(scores, articles, None, 9) == [1, 4, 0, 3]  # never what is not to be picked
    assert pick(scores[:0], articles[:0], None, 3) == []


@pytest.mark.parametrize("first", [1, 3, 50])
def test_the_order_is_the_same_however_many_are_put_in_order_at_first(monkeypatch, first):
    scores = np.random.default_rng(0).integers(0, 9, 40).astype(float)
    scores[::7] = -np.inf
    monkeypatch.setattr("model.active_learning.picking.FIRST", first)
    wanted = [place for place in np.argsort(-scores, kind="stable").tolist() if np.isfinite(scores[place])]
    assert pick(scores, np.arange(40), None, 40) == wanted
    assert pick(scores, np.arange(40), None, 40, lambda place: place % 2 == 1) == [each for each in wanted if each % 2]


def test_an_article_gives_no_more_than_its_share_of_a_batch():
    scores = np.array([0.9, 0.8, 0.7, 0.1])
    found = pick(scores, np.array([7, 7, 7, 8]), DIRECTIONS[:4], 4)
    assert MOST_OF_ARTICLE == 2 and found == [0, 1, 3]


@pytest.mark.parametrize(("cosine", "picked"), [(NEARLY_SAME - 0.01, [0, 1, 2]), (NEARLY_SAME + 0.01, [0, 2])])
def test_what_says_nearly_the_same_waits_for_another_batch(cosine, picked):
    alike = cosine * DIRECTIONS[0] + np.sqrt(1 - cosine**2) * DIRECTIONS[1]
    vectors = np.stack([3 * DIRECTIONS[0], alike, DIRECTIONS[2]])
    assert pick(np.array([0.9, 0.8, 0.7]), np.arange(3), vectors, 3) == picked
