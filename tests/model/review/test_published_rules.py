"""Published stop rules: where they stop, by numbers computed by hand."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from model.review.stop_rule import History
from tests.measure.published_rules import RULES, _hypergeometric_p, hypergeometric, oracle, quantile, safe, stopped


def history(holds: list[int], pool: int | None = None, by_lot: bool = False) -> History:
    return History(pool or len(holds), np.array(holds, dtype=bool), np.full(len(holds), by_lot))


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_each_rule_stops_within_the_pool_and_reads_all_where_nothing_is_found(rule) -> None:
    assert rule(history([0] * 40)) == 40
    assert 10 <= rule(history(([1] * 20 + [0] * 20) * 10)) <= 400


def test_the_p_value_is_that_of_a_sample_of_what_waited_after_the_last_find() -> None:
    # 19 found: 2 more would be too many. 50 of the 81 that waited held none.
    now = history([1] * 19 + [0] * 50, 100)
    assert _hypergeometric_p(now) == pytest.approx(hypergeom.cdf(0, 81, 2, 50))
    assert hypergeometric(history([1] * 19 + [0] * 81)) == 90  # 61 of 81 leave .058, 71 leave .014
    assert _hypergeometric_p(history([0, 0], 10)) == 1.0
    assert _hypergeometric_p(history([1] * 19 + [0] * 80, 100)) == 0.0


def test_safe_stops_after_a_tenth_twice_the_relevant_and_fifty_without() -> None:
    assert safe(history([1] * 10 + [0] * 290)) == 60
    assert safe(history([1] * 10 + [0] * 790)) == 80  # a tenth
    assert safe(history([1] * 60 + [0] * 240)) == 120  # twice as many


def test_the_quantile_rule_reads_all_below_59_relevant_articles() -> None:
    assert quantile(history([1] * 58 + [0] * 500)) == 558
    many = history([1] * 600 + [0] * 600)
    assert 590 < quantile(many) < 720  # the last of 59 among the first 600, and what the sample adds


def test_a_stopped_review_tells_its_recall_and_what_it_saved() -> None:
    whole = history([1] * 19 + [0] * 30 + [1] + [0] * 50)
    assert oracle(whole) == 19
    end = stopped(whole, 19)
    assert (end.reached, end.recall, end.saved) == (1.0, 0.95, 0.81)
    assert stopped(whole, 18).reached == 0.0
