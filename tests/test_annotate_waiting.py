"""Which articles wait for whom, which are done, and which two experts annotate."""

from typing import Any

import numpy as np
import pytest

from annotate.home import read
from annotate.propose import propose
from annotate.queue import hand_out, standing_of, why_empty
from annotate.waiting import _memo, done_by, wanted_twice
from tests.making import judge, reading, verdict
from tests.queueing import begin, choose_the_first, given, judge_all, set_queue

pytestmark = pytest.mark.usefixtures("home", "asked")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What annotate.live was asked; it chooses the first article that waits."""
    return choose_the_first(monkeypatch)


def test_where_two_annotate_both_see_the_same_and_nobody_sees_it_twice():
    begin(1, double_share=1, blind_share=1)
    assert given("Anna") == 1
    assert given("Ben") is None  # one after the other
    set_queue(double_share=1, blind_share=0)
    judge("Anna", 1, reading())
    assert given("Anna") is None
    assert (
        why_empty("Anna")
        == "You are done with 1 article, which is all. 1 article of yours waits for a second person's judgement."
    )
    assert hand_out("Ben").with_proposals is False
    judge("Ben", 1, reading())
    assert [given("Ben"), given("Cleo")] == [None, None]


def test_a_greater_double_share_only_adds_articles():
    keys = [f"pmid:{number}" for number in range(2000)]
    third = {key for key in keys if wanted_twice(key, 0.3)}
    half = {key for key in keys if wanted_twice(key, 0.5)}
    assert third < half and 500 < len(third) < 700 and 900 < len(half) < 1100
    assert not any(wanted_twice(key, 0) for key in keys) and all(wanted_twice(key, 1) for key in keys)


def test_what_is_remembered_of_the_articles_is_what_the_rows_say():
    begin(8)
    rng = np.random.default_rng(0)
    for step in range(40):
        who, article_id = f"Expert {rng.integers(3)}", int(rng.integers(1, 9))
        if step % 10 == 9:
            propose(article_ids=[article_id], k=int(rng.integers(1, 4)))
        else:
            values = ("accept", "reject", "withdrawn")
            events = (verdict(int(rng.integers(3)), values[rng.integers(3)]), reading(bool(rng.integers(2))))
            judge(who, article_id, *events[: 1 + rng.integers(2)])
        with read() as session:
            remembered = done_by(session)
            _memo.cache_clear()
            assert remembered == done_by(session)
    assert any(remembered.values()) and not all(remembered.values())


def test_the_standing_of_a_reviewer_counts_every_article_once():
    begin(4)
    given("Ben")
    judge_all("Anna", 2)
    judge_all("Ben", 3)
    with read() as session:
        found = standing_of(session, "Anna")
        nobody = standing_of(session, "Nobody yet")
    assert (found.waiting, found.done, found.elsewhere, found.held, found.total) == ([4], [2], [3], [1], 4)
    assert (nobody.waiting, nobody.elsewhere, nobody.held) == ([4], [2, 3], [1])
