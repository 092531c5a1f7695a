"""Articles in hand: leases that run out, are renewed and taken back, clocks that are set, many experts at once."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import db.review.assignments
from annotate.active_learning.queue import hand_out, whats_next
from annotate.project.home import read
from annotate.review.article_view import reading_view
from annotate.review.assignments import finish_or_leave, open_leases, release, take
from annotate.review.verdicts import record
from db.engine import DatabaseBusy
from tests.support.making import judge, query, reading, verdict
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


def test_a_lease_that_ran_out_gives_the_article_back(at):
    begin(1)
    assert given("Anna") == 1
    at(29)
    assert given("Ben") is None
    at(31)
    assert given("Ben") == 1
    assert endings() == [("Anna", 1, "expired"), ("Ben", 1, None)]
    assert given("Anna") is None  # in other hands now


def test_what_was_done_before_its_lease_ran_out_counts_as_finished(at):
    begin(2)
    given("Anna")
    judge_all("Anna", 1)
    at(90)
    assert given("Ben") == 2
    assert endings()[0] == ("Anna", 1, "finished")


def test_a_late_expert_goes_on_with_the_same_article_as_what_it_was(at):
    begin(3, blind_share=1)
    assert given("Anna") == 1
    set_queue(blind_share=0)
    at(60)
    assert given("Ben") == 1  # the first of all, with the arm that was drawn for it
    finish_or_leave("Ben", 1)
    at(61)
    assert given("Ben") == 2
    announced = whats_next("Anna", 1)
    again = hand_out("Anna")
    assert (again.article_id, again.with_proposals, again.waiting) == (1, False, 3)
    assert [(row["article_id"], row["in_hand"]) for row in announced] == [(1, True)]
    assert endings() == [("Anna", 1, "expired"), ("Ben", 1, "left"), ("Ben", 2, None), ("Anna", 1, None)]


def test_the_next_article_is_next_even_after_the_lease_has_run_out(at):
    begin(2)
    given("Anna")
    at(60)
    given("Ben")
    release(query("SELECT max(id) FROM assignment")[0][0])
    finish_or_leave("Anna", 1)
    assert given("Anna") == 2
    assert endings()[0] == ("Anna", 1, "left")


def test_every_sign_of_life_renews_the_lease(at):
    begin(1)
    given("Anna")
    for minutes in (25, 50, 75):
        at(minutes)
        record("Anna", 1, [verdict(1)] if minutes == 50 else [])
    at(100)
    assert given("Ben") is None
    at(106)
    assert given("Ben") == 1


def test_a_verdict_takes_back_an_article_that_ran_out_and_that_nobody_had_since(at):
    begin(2)
    given("Anna")
    at(60)
    assert given("Ben") == 1
    judge("Anna", 1, verdict(1))
    assert holder(1) == "Ben"  # handed out since
    given("Cleo")
    at(120)
    judge("Cleo", 2, verdict(1))  # not ended by anybody yet
    assert holder(2) == "Cleo"
    at(180)
    assert given("Dora") == 1
    assert endings()[2] == ("Cleo", 2, "expired")
    judge("Cleo", 2, verdict(0))
    assert holder(2) == "Cleo" and len(endings()) == 5


def test_a_sign_of_life_never_takes_an_article_from_whoever_came_back_to_it_first(at):
    begin(2)
    take("Ben", 1)
    at(40)
    take("Anna", 1)
    take("Anna", 2)  # puts 1 back
    record("Ben", 1, [])  # the one whose lease had run out
    record("Anna", 1, [])
    with read() as session:
        assert [(name, lease.article_id) for lease, name, _ in open_leases(session)] == [("Ben", 1), ("Anna", 2)]


def test_verdicts_that_reach_the_server_late_still_finish_the_article():
    begin(2)
    given("Anna")
    finish_or_leave("Anna", 1)
    judge("Anna", 1, verdict(0))
    assert endings() == [("Anna", 1, "left")]
    judge("Anna", 1, verdict(1))
    assert endings() == [("Anna", 1, "finished")]


def test_no_trouble_with_a_lease_costs_a_verdict(monkeypatch):
    begin(1)
    given("Anna")

    def fail(*_: Any, most: int) -> int:
        raise DatabaseBusy("UPDATE", None, Exception("locked"))

    monkeypatch.setattr(db.review.assignments, "renew_lease", fail)
    judge("Anna", 1, verdict(1))
    assert query("SELECT value FROM verdict") == [("accept",)]


def test_a_clock_that_is_set_back_does_not_make_a_lease_endless(at):
    begin(1)
    given("Anna")
    at(-24 * 60)
    assert holder(1) is None
    assert given("Ben") == 1
    at(0)
    assert given("Anna") == 1  # and Ben's has run out by this clock


def test_a_clock_that_is_corrected_by_a_second_costs_nobody_the_lease(at):
    begin(1)
    given("Anna")
    at(-1 / 60)
    assert holder(1) == "Anna"


def test_an_article_opened_by_its_address_is_leased_by_hand():
    begin(2, blind_share=1)
    taken = take("Anna", 2)
    assert (taken.strategy, taken.at_random, taken.with_proposals, taken.waiting) == ("by hand", False, True, 0)
    assert (take("Anna", 2).id, take("Ben", 2), take("Ben", 9)) == (taken.id, None, None)
    assert given("Anna") == 2  # in hand until it is done
    finish_or_leave("Anna", 2)
    assert given("Anna") == 1
    assert take("Anna", 1).strategy == "score"  # what the queue handed out stays that


def test_whoever_looks_around_holds_one_article_at_a_time_beside_that_of_the_queue():
    begin(4)
    given("Anna")
    for article_id in (2, 3, 4):
        take("Anna", article_id)
    with read() as session:
        assert [lease.article_id for lease, _, _ in open_leases(session)] == [1, 4]
    record("Anna", 2, [verdict(1)])  # a verdict in another tab takes it back
    assert holder(2) == "Anna"


def test_an_article_that_one_is_done_with_is_opened_without_a_lease():
    begin(1)
    judge_all("Anna", 1)
    assert take("Anna", 1) is None
    assert take("Ben", 1).strategy == "by hand"


def test_what_was_shown_without_proposals_stays_so_when_it_is_opened_again():
    begin(2, blind_share=1)
    given("Anna")
    finish_or_leave("Anna", 1)
    assert not take("Anna", 1).with_proposals
    judge("Ben", 2, verdict(1))  # has seen a proposal of it
    assert hand_out("Ben").with_proposals


def test_proposals_that_one_has_seen_are_never_taken_away_again():
    begin(2, blind_share=1)
    given("Anna")
    finish_or_leave("Anna", 1)
    take("Ben", 1)
    judge("Ben", 1, verdict(0))
    take("Ben", 2)
    release(query("SELECT max(id) FROM assignment")[0][0])
    handed = hand_out("Ben")
    assert (handed.article_id, handed.strategy, handed.with_proposals) == (1, "score", True)


def test_what_ran_out_without_proposals_stays_without_them_while_another_has_it(at):
    begin(1, blind_share=1)
    given("Anna")
    at(40)
    given("Ben")
    assert take("Anna", 1) is None
    view = reading_view(1, "Anna")
    assert (view["held_by"], view["with_proposals"], view["proposals"]) == ("Ben", False, [])
    judge("Anna", 1, reading())
    assert reading_view(1, "Anna")["with_proposals"]


def test_anybody_may_release_an_article():
    begin(1)
    number = hand_out("Anna").id
    release(number)
    assert (holder(1), given("Ben")) == (None, 1)
    release(number)
    release(99)
    assert endings() == [("Anna", 1, "left"), ("Ben", 1, None)]


@pytest.mark.parametrize("experts_each", [1, 2])
def test_eight_at_once_never_get_the_same_article_and_none_is_lost(experts_each):
    begin(16, double_share=experts_each - 1)
    finished: list[int] = []
    failures: list[BaseException] = []
    ready = threading.Barrier(8)

    def work(reviewer: str) -> None:
        try:
            ready.wait()
            while len(finished) < 16 * experts_each and not failures:
                handed = hand_out(reviewer)
                if handed is None:  # another may still hold an article that wants a second expert
                    time.sleep(0.01)
                    continue
                with read() as session:
                    holders = [name for lease, name, _ in open_leases(session) if lease.article_id == handed.article_id]
                assert reviewer in holders and len(holders) <= experts_each
                judge_all(reviewer, handed.article_id)
                finish_or_leave(reviewer, handed.article_id)
                finished.append(handed.article_id)
            assert hand_out(reviewer) is None
        except BaseException as error:  # shown by the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"Expert {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    rows = query("SELECT article_id, annotator_id FROM assignment WHERE ending = 'finished'")
    assert len(rows) == len(set(rows)) == 16 * experts_each
    assert query("SELECT count(*), count(DISTINCT article_id) FROM assignment") == [(16 * experts_each, 16)]
