"""Reference lists beside what is near to a text: numbers by hand."""

import numpy as np
import pytest

from annotate.related.pool import NEAR, Ranked, ReferenceLists

PLACES = {"w": 0, "x": 1, "y": 2}
HELD = ReferenceLists({"A": ["w", "y", "unknown"], "B": ["x"], "C": ["unknown"], "D": []}, PLACES)


def ranked(*scores: tuple[int, float]) -> Ranked:
    places, values = zip(*scores, strict=True)
    return Ranked(np.array(places), np.array(values, dtype=np.float32), {})


def test_a_list_counts_what_it_holds_by_how_near_that_is():
    found = HELD.likeness(ranked((0, 2.0), (1, 1.8), (2, 1.0)))
    assert found == pytest.approx({"A": 1 + np.exp(-0.5 / NEAR), "B": np.exp(-0.1 / NEAR)})


def test_works_that_were_left_out_count_nothing_and_the_own_list_does_not():
    assert HELD.likeness(ranked((1, 1.0)), "B") == {"A": 0.0}


def test_only_lists_that_hold_a_work_of_the_pool_are_known():
    assert HELD.keys == ("A", "B")


@pytest.mark.parametrize("held", [ReferenceLists({}, PLACES), HELD])
def test_where_nothing_is_near_or_nothing_known_no_list_is_like_it(held):
    assert held.likeness(ranked((0, 0.0))) == {}
    assert ReferenceLists({}, {}).likeness(ranked((0, 1.0))) == {}
