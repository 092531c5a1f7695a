"""The stop rule: numbers computed by hand, and reviews replayed under it and under the interval of the lots."""

import math

import numpy as np
import pytest

from model.review.blocks import BLOCK, in_block
from model.review.stop_rule import (
    INSIDE_ERROR,
    Found,
    History,
    allowed_of,
    articles_allowed,
    doubt,
    may_stop,
    outside_at_most,
)
from tests.measure.published_rules import RULES, oracle, stopped
from tests.measure.stopping import former

REVIEWS = 60


def history(pool: int, holds: list[int], by_lot: bool = True) -> History:
    return History(pool, np.array(holds, dtype=bool), np.full(len(holds), by_lot))


def replayed(seed: int, noise: float, share: float) -> History:
    """A review of 300 articles to its end: two in twenty by lot, the likeliest by a noisy score else."""
    generator = np.random.default_rng(seed)
    holds = generator.random(300) < share
    scores = holds + generator.normal(0, noise, 300)
    order, by_lot, waiting = [], [], set(range(300))
    for step in range(300):
        if step % BLOCK == 0:
            lots = generator.permutation(BLOCK)[: in_block(0.1, 0)]
        lot = step % BLOCK in lots
        chosen = int(generator.choice(sorted(waiting))) if lot else max(waiting, key=lambda one: scores[one])
        waiting.remove(chosen)
        order.append(chosen)
        by_lot.append(lot)
    return History(300, holds[order], np.array(by_lot))


def test_in_replays_the_rule_reaches_its_target_where_the_interval_of_the_lots_lets_nobody_stop() -> None:
    reviews = [replayed(seed, noise, 0.15) for seed in range(REVIEWS // 2) for noise in (0.4, 0.7)]
    best = np.mean([stopped(each, oracle(each)).saved for each in reviews])
    assert np.mean([stopped(each, former(each)).saved for each in reviews[:6]]) < 0.05 * best
    now = [stopped(each, RULES["keyline"](each)) for each in reviews]
    assert np.mean([end.reached for end in now]) >= 0.95
    assert np.mean([end.saved for end in now]) > 0.4 * best


def test_doubt_is_the_least_binomial_probability_over_the_moments_after_a_find() -> None:
    # Since the find 3 of 9 were drawn, and one left would have escaped with 2/3. From the beginning 4 of 10 were, and
    # of two articles one was found or none: 1 - .4^2 = .84.
    assert doubt(history(10, [1, 0, 0, 0]), 1) == pytest.approx(2 / 3)
    assert doubt(history(10, [1, 0, 0, 0]), 2) == pytest.approx((2 / 3) ** 2)
    assert doubt(history(10, [0, 0, 0, 1]), 1) == pytest.approx(0.84)


def test_nothing_found_leaves_all_doubt_and_more_than_waits_none() -> None:
    assert doubt(history(10, [0] * 9), 1) == 1.0
    assert doubt(history(10, [1] * 8), 3) == 0.0
    assert doubt(history(10, []), 1) == 1.0


def test_an_order_that_was_better_than_chance_is_trusted_by_the_square_root_of_it() -> None:
    holds = [1] * 6 + [0] * 30
    by_lot, by_order = (doubt(history(100, holds, lot), 1) for lot in (True, False))
    assert by_lot == pytest.approx(64 / 94)
    # Since the first find five were found; by chance as many as was left of seven, over what waited, summed.
    before = np.array([1, 2, 3, 4, 5] + [6] * 30)
    times = 5 / ((7 - before) / (100 - np.arange(1, 36))).sum()
    assert by_order == pytest.approx((64 / 94) ** math.sqrt(times))
    few = [1] * 4 + [0] * 30
    assert doubt(history(100, few, by_lot=False), 1) == pytest.approx(doubt(history(100, few), 1))


def test_an_order_that_is_worse_than_chance_counts_as_chance() -> None:
    late = [0] * 50 + [1] * 5 + [0] * 20
    assert doubt(history(100, late, by_lot=False), 3) == pytest.approx(doubt(history(100, late), 3))


@pytest.mark.parametrize(("found", "allowed"), [(0, 0), (18, 0), (19, 1), (38, 2), (95, 5)])
def test_one_in_twenty_may_be_left(found: int, allowed: int) -> None:
    assert allowed_of(found) == allowed


def test_a_review_may_stop_once_more_than_allowed_is_unlikely() -> None:
    assert not may_stop(history(100, [1] * 20 + [0] * 40), 1)  # two left escaped with .25
    assert may_stop(history(100, [1] * 20 + [0] * 64), 1)  # with .04
    assert not may_stop(history(100, [1] * 20 + [0] * 79), -1)


def test_what_is_missed_inside_articles_takes_of_what_may_be_left() -> None:
    assert articles_allowed(Found(read=95, proposed=0, added=0, in_one=1.0), 0.0) == 5
    assert articles_allowed(Found(read=95, proposed=0, added=0, in_one=2.5), 0.0) == 2
    # 100 found are 105.26 at the target; 80 of them tell of 80 / .98 = 81.63, so that room is left for
    # (105.26 - 20 - 81.63) * .98 = 3.56.
    assert articles_allowed(Found(read=20, proposed=80, added=0, in_one=1.0), 0.02) == 3
    assert articles_allowed(Found(read=20, proposed=80, added=0, in_one=1.0), 0.2) < 0
    assert articles_allowed(Found(read=0, proposed=35, added=0, in_one=1.0), 0.65) < 0
    # What was added there is part of the whole, too: (500 / .95 - 200 - 300) * .9 / 5 = 4.74, not by 240 / .9 = 267.
    assert articles_allowed(Found(read=200, proposed=240, added=60, in_one=5.0), 0.1) == 4


def test_the_share_outside_of_the_proposals_is_looked_at_when_its_basis_has_doubled() -> None:
    assert outside_at_most([(3, 0)] * 4) is None
    assert outside_at_most([(0, 0)] * 20) is None
    five = outside_at_most([(3, 0)] * 5)
    assert outside_at_most([(3, 0)] * 9) == five
    assert five is not None and five > outside_at_most([(3, 0)] * 10) > outside_at_most([(3, 0)] * 80)
    assert outside_at_most([(1, 2)] * 40) > 2 / 3


def test_the_bound_of_the_share_is_passed_in_few_reviews_however_often_it_is_looked_at() -> None:
    generator = np.random.default_rng(3)
    passed = 0
    for _ in range(400):
        key = 1 + generator.poisson(2, 80)
        more = generator.binomial(key, 0.1)
        read = [(int(k - m), int(m)) for k, m in zip(key, more, strict=True)]
        passed += min(outside_at_most(read[:n]) for n in (5, 10, 20, 40, 80)) < 0.1
    assert passed / 400 <= 2 * INSIDE_ERROR
