"""The queue: who gets which article and why, what comes next, and why nothing does."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from annotate.active_learning.queue import hand_out, whats_next
from annotate.project.home import read
from annotate.review.article_view import reading_view
from annotate.review.assignments import finish_or_leave, holder_of, open_leases, take, why_empty
from annotate.review.queue_settings import QueueSettings
from tests.support.making import judge, paper, query, reading, store, verdict
from tests.support.queueing import begin, choose_the_first, clock, endings, given, holder, judge_all, set_queue

pytestmark = pytest.mark.usefixtures("home", "asked")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What annotate.active_learning.live_ranking was asked; it chooses the first article that waits."""
    return choose_the_first(monkeypatch)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock to so many minutes from now."""
    return clock(monkeypatch)


def test_an_article_is_handed_out_with_why_and_among_how_many(asked):
    begin(3)
    rng = np.random.default_rng(1)
    handed = hand_out("Anna", rng)
    ((waiting, settings, given_rng),) = asked
    assert (waiting, settings, given_rng) == ([1, 2, 3], QueueSettings(random_share=0, blind_share=0), rng)
    assert (handed.article_id, handed.strategy, handed.reason, handed.score) == (1, "score", "it is the first", 0.5)
    assert (handed.waiting, handed.at_random, handed.head_id, handed.ended_at) == (3, False, None, None)
    length = datetime.fromisoformat(handed.leased_until) - datetime.fromisoformat(handed.created_at)
    assert length == timedelta(minutes=30)


def test_whoever_asks_again_gets_the_same_article_until_it_is_done(at):
    begin(2)
    assert [given("Anna"), given("Anna")] == [1, 1]
    at(20)
    judge("Anna", 1, verdict(1))
    at(40)
    assert given("Anna") == 1  # half judged
    at(65)
    assert holder(1) == "Anna"
    judge_all("Anna", 1)
    assert given("Anna") == 2
    assert endings() == [("Anna", 1, "finished"), ("Anna", 2, None)]


def test_two_experts_hold_two_articles_and_the_third_gets_none():
    begin(2)
    assert [given("Anna"), given("Ben"), given("Cleo")] == [1, 2, None]
    with read() as session:
        assert [(name, title) for _, name, title in open_leases(session)] == [
            ("Anna", "Article 1"),
            ("Ben", "Article 2"),
        ]
        assert (holder_of(session, 1, 0), holder_of(session, 1, 1), holder_of(session, 2, 1)) == ("Anna", None, "Ben")


def test_an_article_left_unfinished_comes_back_last_and_the_longest_ago_first(asked):
    begin(3)
    order = []
    for _ in range(5):
        order.append(given("Anna"))
        finish_or_leave("Anna", order[-1])
    assert order == [1, 2, 3, 1, 2]
    assert [waiting for waiting, _, _ in asked] == [[1, 2, 3], [2, 3], [3]]
    assert {ending for _, _, ending in endings()} == {"left"}
    assert given("Ben") == 1  # to others it is an article as any other


def test_an_article_is_finished_when_it_is_read_in_full_or_all_is_judged():
    begin(3)
    for act in (
        lambda: judge_all("Anna", 1),
        lambda: judge("Anna", 2, reading()),
        lambda: judge("Anna", 3, verdict(1)),
    ):
        article_id = given("Anna")
        act()
        finish_or_leave("Anna", article_id)
    assert [ending for _, _, ending in endings()] == ["finished", "finished", "left"]
    finish_or_leave("Anna", 1)  # twice, or where nothing is in hand
    finish_or_leave("Ben", 1)
    assert len(endings()) == 3


def test_without_proposals_an_article_is_done_when_it_is_read():
    begin(2, blind_share=1)
    handed = hand_out("Anna")
    view = reading_view(1, "Anna")
    assert (handed.with_proposals, view["with_proposals"], view["proposals"]) == (False, False, [])
    assert view["assignment"] == {  # nothing of what its proposals would be good for
        "strategy": "score",
        "reason": "drawn at random to be read without proposals",
        "at_random": False,
        "with_proposals": False,
    }
    judge_all("Anna", 1)  # what would be proposed, found unasked
    assert given("Anna") == 1
    judge("Anna", 1, reading())
    assert given("Anna") == 2
    assert endings()[0] == ("Anna", 1, "finished")
    view = reading_view(1, "Anna")
    assert (view["assignment"], view["with_proposals"], len(view["proposals"])) == (None, True, 2)


@pytest.mark.sqlite("how they are drawn; the others ask the same of the database")
@pytest.mark.parametrize(("share", "blind"), [(0.05, [1, 1, 1]), (0.5, [10, 10, 10]), (0.02, [0, 0, 1])])
def test_each_block_of_twenty_holds_its_share_without_proposals_in_places_drawn_by_lot(share, blind):
    begin(60, blind_share=share)
    rng = np.random.default_rng(3)
    arms = [not hand_out(f"Expert {number}", rng).with_proposals for number in range(60)]
    blocks = [arms[start : start + 20] for start in (0, 20, 40)]
    assert [sum(block) for block in blocks] == blind
    assert not any(block[0] for block in blocks)  # nobody begins with an article without
    places = {block.index(True) for block in blocks if any(block)}
    assert share != 0.05 or len(places) > 1  # by lot


def test_a_share_that_is_set_later_is_not_made_up_for():
    begin(12, blind_share=0)
    assert all(hand_out(f"Expert {number}").with_proposals for number in range(10))
    set_queue(blind_share=0.05)
    assert sum(not hand_out(f"Later {number}").with_proposals for number in range(2)) <= 1


def test_what_comes_next_begins_with_what_is_in_hand_and_ends_with_what_was_left():
    begin(4)
    given("Anna")
    finish_or_leave("Anna", 1)
    given("Anna")
    assert [(row["article_id"], row["in_hand"], row["title"]) for row in whats_next("Anna", 9)] == [
        (2, True, "Article 2"),
        (3, False, "Article 3"),
        (4, False, "Article 4"),
        (1, False, "Article 1"),
    ]
    assert [row["article_id"] for row in whats_next("Ben", 2)] == [1, 3]
    assert query("SELECT name FROM annotator") == [("Anna",)]  # looking at the queue writes nothing


def test_the_queue_says_why_it_is_empty(at):
    assert why_empty("Anna") == "There are no articles yet."
    store(paper(pmid="1"), paper(pmid="2"))
    assert why_empty("Anna") == "None of 2 articles has proposals yet."
    begin(3)
    assert why_empty("Anna") == ""
    given("Ben")
    judge_all("Anna", 2)
    judge_all("Cleo", 3)
    at(12)
    assert why_empty("Anna") == (
        "You have reviewed 1 of 3 articles. Others have reviewed 1 article. "
        "Ben is reviewing the other 1 article; the first comes back in 18 min if that work stops."
    )
    judge_all("Ben", 1)
    assert why_empty("Ben") == "You have reviewed 1 of 3 articles. Others have reviewed 2 articles."


def test_an_article_that_was_opened_by_hand_and_waits_for_nobody_is_announced_as_long_as_it_opens(asked):
    begin(2)
    judge("Ben", 1, verdict(0), verdict(1, "reject"), reading())
    take("Anna", 1)
    assert whats_next("Anna", 1)[0]["article_id"] == hand_out("Anna").article_id == 1
    finish_or_leave("Anna", 1)
    assert whats_next("Anna", 1)[0]["article_id"] == hand_out("Anna").article_id != 1
