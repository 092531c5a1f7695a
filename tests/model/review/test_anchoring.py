"""Anchoring: measures computed by hand, and intervals that cover a known bias."""

import numpy as np
import pytest

import model.review.anchoring
from model.review.anchoring import MIN_ARTICLES, SPREAD, ReadArticle, articles_needed, compare, spread_of


@pytest.fixture
def fewer_resamplings(monkeypatch):
    """A fifth of the resamplings: over hundreds of intervals their ends are as far out."""
    monkeypatch.setattr(model.review.anchoring, "ROUNDS", 400)


def test_the_measures_are_those_computed_by_hand():
    shown = [ReadArticle(10, 8, 1)] * 5 + [ReadArticle(5, 2, 0)] * 5
    unshown = [ReadArticle(10, 5, 3)] * 10
    found = compare(shown, unshown)
    assert found.called_key.shown.value == pytest.approx((0.8 + 0.4) / 2)
    assert found.called_key.unshown.value == pytest.approx(0.5)
    assert found.called_key.difference.value == pytest.approx(0.1)
    assert found.outside.difference.value == pytest.approx(0.5 - 3)
    assert found.total.difference.value == pytest.approx((9 + 2) / 2 - 8)
    assert found.among.shown.value == pytest.approx(50 / 55)
    assert found.among.unshown.value == pytest.approx(50 / 80)
    # Articles without proposals are all alike: nothing varies. Those with vary between .4 and .8.
    assert found.called_key.unshown.low == found.called_key.unshown.high == pytest.approx(0.5)
    assert found.called_key.shown.low == pytest.approx(0.48, abs=0.021)
    assert found.called_key.shown.high == pytest.approx(0.72, abs=0.021)
    assert compare(shown, unshown) == found


def test_the_bootstrap_equals_that_of_single_articles():
    generator = np.random.default_rng(3)
    arm = [ReadArticle(10, int(key), 1) for key in generator.binomial(10, 0.5, 80)]
    interval = compare(arm, [ReadArticle(10, 5, 1)] * 10).called_key.shown
    values = np.array([article.key_proposals / 10 for article in arm])
    means = values[generator.integers(0, 80, (4000, 80))].mean(axis=1)
    assert (interval.low, interval.high) == (
        pytest.approx(np.quantile(means, 0.025), abs=0.008),
        pytest.approx(np.quantile(means, 0.975), abs=0.008),
    )


def test_the_interval_of_the_difference_covers_the_truth(fewer_resamplings):
    generator = np.random.default_rng(4)
    covered = []
    for _ in range(300):
        arms = []
        for rate, number in ((0.6, 120), (0.5, 30)):
            of_article = generator.beta(6 * rate, 6 * (1 - rate), number)
            arms.append([ReadArticle(10, int(k), 0) for k in generator.binomial(10, of_article)])
        found = compare(*arms).called_key.difference
        covered.append(found.low <= 0.1 <= found.high)
    assert np.mean(covered) >= 0.9


def test_a_share_is_told_where_one_article_alone_holds_key_sentences():
    """A third of the resamplings, (9/10)^10, are without it: they have no share and are left out."""
    rare = [ReadArticle(10, 0, 0)] * 9 + [ReadArticle(10, 3, 1)]
    found = compare(rare, rare)
    assert found.among is not None
    shares = [found.among.shown.value, found.among.shown.low, found.among.shown.high]
    assert shares == pytest.approx([0.75] * 3)


def test_no_key_sentence_at_all_leaves_no_share_among_the_proposals():
    nothing = [ReadArticle(10, 0, 0)] * MIN_ARTICLES
    found = compare(nothing, nothing)
    assert found.among is None
    assert found.total.difference.value == 0


@pytest.mark.parametrize(
    ("shown", "unshown"),
    [
        ([], [ReadArticle(5, 1, 1)] * MIN_ARTICLES),
        ([ReadArticle(5, 1, 1)] * MIN_ARTICLES, [ReadArticle(5, 1, 1)] * (MIN_ARTICLES - 1)),
        ([ReadArticle(0, 0, 1)] * MIN_ARTICLES, [ReadArticle(5, 1, 1)] * MIN_ARTICLES),
    ],
)
def test_an_arm_needs_articles_and_they_need_proposals(shown, unshown):
    with pytest.raises(ValueError, match="needs 10 of both"):
        compare(shown, unshown)


def test_the_number_of_articles_is_that_of_the_tables():
    # Cohen 1988, table 2.4.1: d = .40 (0.1 / 0.25), power .80, two-sided .05: 99 in each arm, 98.1 by the normal.
    assert articles_needed(0.25, 0.25) == 99
    assert articles_needed(0.25, 0.25, shown_for_each=19) == 52
    assert articles_needed(0.25, 0.25, 0.05) == 393


def test_so_many_articles_have_the_power_that_was_asked_for(fewer_resamplings):
    generator = np.random.default_rng(8)
    number = articles_needed(0.2, 0.2)
    told = []
    for _ in range(300):
        shown, unshown = (np.clip(generator.normal(m, 0.2, number), 0, 1) for m in (0.55, 0.45))
        arms = [[ReadArticle(1000, round(1000 * v), 0) for v in arm] for arm in (shown, unshown)]
        told.append(compare(*arms).called_key.difference.low > 0)
    assert np.mean(told) == pytest.approx(0.8, abs=0.08)


def test_the_spread_is_assumed_until_it_can_be_measured():
    assert spread_of([ReadArticle(10, 5, 0)] * 9) == SPREAD == 0.25
    assert spread_of([ReadArticle(10, 4, 0), ReadArticle(10, 6, 0)] * 5) == pytest.approx(0.1054, abs=1e-4)
