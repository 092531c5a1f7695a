"""Screening: what comes next, what is drawn by lot, and the estimate of what is left."""

from dataclasses import replace

import numpy as np
import pytest

from annotate.finding.asking.screening import DRAW_EVERY, FIRST_EVERY, progress, whats_next
from db.finding.questions import UNSURE, Judgement

KEYS = [f"pmid:{number:03}" for number in range(100)]


def said_of(keys: list[str], relevant: set[str], waiting: dict[str, int] | None = None) -> dict[str, Judgement]:
    drawn = waiting or {}
    return {key: Judgement(key, int(key in relevant), drawn.get(key), place) for place, key in enumerate(keys, 1)}


def test_the_order_is_kept_but_for_what_is_drawn_by_lot() -> None:
    coming = whats_next(KEYS, {}, seed=1, number=20)
    assert [place for place, each in enumerate(coming) if each.waiting] == [4, 9, 14, 19]
    assert len({each.key for each in coming}) == 20
    by_order = [each.key for each in coming if each.waiting is None]
    drawn = {each.key for each in coming if each.waiting}
    assert by_order == [key for key in KEYS if key in by_order] and by_order[:4] == KEYS[:4]
    assert [each.waiting for each in coming if each.waiting] == [96, 91, 86, 81]
    assert whats_next(KEYS, {}, seed=1, number=20) == coming
    assert {each.key for each in whats_next(KEYS, {}, seed=2, number=20) if each.waiting} != drawn


def test_lots_are_rarer_once_there_is_an_estimate() -> None:
    assert (FIRST_EVERY, DRAW_EVERY) == (5, 10)
    before = said_of(KEYS[:25], set(), dict.fromkeys(KEYS[4:25:5], 90))
    coming = whats_next(KEYS, before, seed=1, number=20)
    assert [place for place, each in enumerate(coming, start=25) if each.waiting] == [34, 44]


def test_a_lot_that_was_put_off_comes_next_and_stays_the_same() -> None:
    (first,) = (each for each in whats_next(KEYS, {}, seed=1, number=5) if each.waiting)
    judged = said_of([key for key in KEYS[:8] if key != first.key][:7], set())
    assert whats_next(KEYS, judged, seed=1, number=1)[0].key == first.key


def test_what_was_judged_does_not_come_again_and_the_pool_ends() -> None:
    before = said_of(KEYS[:98], set())
    assert {each.key for each in whats_next(KEYS, before, seed=1, number=20)} == set(KEYS[98:])
    assert whats_next(KEYS, said_of(KEYS, set()), seed=1, number=20) == []


def test_nothing_is_estimated_before_five_were_drawn() -> None:
    drawn = {KEYS[4]: 96, KEYS[9]: 91, KEYS[14]: 86, KEYS[19]: 81}
    now = progress(KEYS, said_of(KEYS[:20], set(KEYS[:3]), drawn))
    assert (now.pool, now.judged, now.relevant, now.draws, now.left) == (100, 20, 3, 4, None)
    assert now.saved == pytest.approx(0.8)


def test_unsure_ones_count_as_relevant_in_what_is_left_and_are_counted_apart() -> None:
    drawn = dict(zip(KEYS[4:25:5], [96, 91, 86, 81, 76], strict=True))
    sure = said_of(KEYS[:25], set(KEYS[:4]), drawn)
    told = {key: replace(each, grade=UNSURE) if key in KEYS[:2] else each for key, each in sure.items()}
    now, before = progress(KEYS, told), progress(KEYS, sure)
    assert (now.relevant, now.unsure, before.unsure) == (2, 2, 0)
    assert now.left is not None and (now.left, now.recall) == (before.left, before.recall)
    assert now.recall == (4 / (4 + now.left.high), 4 / (4 + now.left.low))


def test_what_is_said_of_articles_outside_of_the_pool_does_not_count() -> None:
    now = progress(KEYS[:50], said_of([*KEYS[:10], "doi:x"], {"doi:x", KEYS[0]}))
    assert (now.judged, now.relevant) == (10, 1)


def test_draws_from_a_pool_that_has_grown_since_do_not_count_for_it() -> None:
    drawn = {KEYS[4]: 96, KEYS[9]: 91, KEYS[14]: 86, KEYS[19]: 81, KEYS[24]: 76}
    said = said_of(KEYS[:25], set(KEYS[:3]), drawn)
    assert progress(KEYS, said).left is not None
    grown = [*KEYS, *(f"doi:{number}" for number in range(300))]
    now = progress(grown, said)
    assert (now.draws, now.left) == (0, None)
    assert whats_next(grown, said, seed=1, number=1)[0].waiting == 375  # and new ones are drawn from it


def test_draws_from_a_larger_pool_count_for_a_part_of_it_by_the_size_of_the_part() -> None:
    drawn = dict(zip(KEYS[4:25:5], [996, 991, 986, 981, 976], strict=True))
    whole = progress(KEYS, said_of(KEYS[:25], set(KEYS[:3]), drawn))
    assert (whole.draws, whole.left is not None and whole.left.high <= 75) == (5, True)


def test_a_screening_may_stop_once_a_long_run_held_nothing() -> None:
    relevant = set(KEYS[:20])
    assert not progress(KEYS, said_of(KEYS[:30], relevant)).may_stop
    assert progress(KEYS, said_of(KEYS[:80], relevant)).may_stop


def test_the_interval_holds_what_is_left_in_most_screenings() -> None:
    """100 screenings of 300 articles, 30 of them relevant, the half of which the order finds early."""
    covered = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        keys = [f"k{number:03}" for number in range(300)]
        relevant = {*keys[:15], *rng.choice(keys[15:], 15, replace=False)}
        said: dict[str, Judgement] = {}
        while len(said) < 120:
            each = whats_next(keys, said, seed, 1)[0]
            said[each.key] = Judgement(each.key, int(each.key in relevant), each.waiting, len(said))
        now = progress(keys, said)
        assert now.left is not None
        covered += now.left.low <= len(relevant) - now.relevant <= now.left.high
    assert covered >= 90
