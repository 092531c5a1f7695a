"""What people put into the queue comes next: to them, or with the right to everybody."""

import pytest

from annotate.active_learning.queue import hand_out, whats_next
from annotate.finding.asking.saved import record
from annotate.project.acting import acting
from annotate.project.home import read
from annotate.review.assignments import finish_or_leave, take
from annotate.review.verdicts import ASKED_FOR, asked_for
from annotate.team.history import Filter, events
from tests.support.finding import ask, say, wish
from tests.support.making import judge, reading
from tests.support.queueing import begin, choose_the_first
from tests.support.team import browser, cheap_hashes, team

pytestmark = pytest.mark.usefixtures("home")


def handed(reviewer: str) -> int:
    row = hand_out(reviewer)
    assert row is not None
    return row.article_id


def done(reviewer: str, article_id: int) -> None:
    judge(reviewer, article_id, reading())
    finish_or_leave(reviewer, article_id)


def test_what_was_asked_for_comes_next_in_that_order(monkeypatch: pytest.MonkeyPatch) -> None:
    choose_the_first(monkeypatch)
    begin(6)
    mine = ask("Anna")
    say("Anna", mine, wish(5, reason="found by TP53"), wish(3))
    assert [(row["article_id"], row["strategy"]) for row in whats_next("Anna", 3)][:2] == [
        (5, ASKED_FOR),
        (3, ASKED_FOR),
    ]
    row = hand_out("Anna")
    assert row is not None
    assert (row.article_id, row.strategy, row.reason) == (5, ASKED_FOR, "you put it into your queue: found by TP53")
    done("Anna", 5)
    assert handed("Anna") == 3
    done("Anna", 3)
    assert handed("Anna") == 1
    assert handed("Ben") == 2  # what Anna wants is no matter of his


def test_a_wish_can_be_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    choose_the_first(monkeypatch)
    begin(4)
    mine = ask("Anna")
    say("Anna", mine, wish(4), wish(3), wish(4, False))
    assert handed("Anna") == 3


def test_what_was_left_comes_next_where_it_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    choose_the_first(monkeypatch)
    begin(3)
    assert handed("Anna") == 1
    finish_or_leave("Anna", 1)
    assert handed("Anna") == 2
    finish_or_leave("Anna", 2)
    say("Anna", ask("Anna"), wish(1))
    assert handed("Anna") == 1
    finish_or_leave("Anna", 1)
    assert handed("Anna") == 3  # the wish was met


def test_looking_at_an_article_does_not_meet_the_wish(monkeypatch: pytest.MonkeyPatch) -> None:
    choose_the_first(monkeypatch)
    begin(4)
    say("Anna", ask("Anna"), wish(3))
    take("Anna", 3)
    take("Anna", 4)  # which puts back what was opened by hand before
    with read() as session:
        assert [choice.article_id for choice in asked_for(session, 1, [1, 2, 3])] == [3]


def test_for_everybody_needs_the_right_and_comes_to_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    choose_the_first(monkeypatch)
    begin(4)
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        team()
        actors = {name: browser(name)[1] for name in ("Anna", "Cora")}
    with acting(actors["Anna"]):
        mine = ask("Anna")
        stored, refused = record("Anna", mine, [wish(4, for_all=True)])
        assert stored == [] and "may not set the queue" in str(refused[0]["reason"])
    with acting(actors["Cora"]):
        say("Cora", ask("Cora"), wish(4, for_all=True, reason="urgent"))
    with acting(actors["Anna"]):
        row = hand_out("Anna")
        assert row is not None
        assert (row.article_id, row.reason) == (4, "Cora put it into the queue: urgent")


def test_the_history_tells_of_wishes_and_relevance() -> None:
    begin(2)
    mine = ask("Anna")
    say("Anna", mine, wish(2, reason="found by TP53"), wish(2, False))
    with read() as session:
        page = events(session, Filter(frozenset({"queued"})))
    assert [(e.who, e.what, e.source, e.article_id) for e in page.events] == [
        ("Anna", "taken out of their queue", "", 2),
        ("Anna", "put into their queue", "found by TP53", 2),
    ]
