"""What people say of articles that were found: stored once, each for their own question, and never lost."""

from typing import Any

import pytest

from annotate.finding.asking.saved import judged, record
from annotate.finding.asking.standing import standings
from annotate.project.home import read
from tests.support.finding import ask, relevance, say, wish
from tests.support.making import query, store_proposed

pytestmark = pytest.mark.usefixtures("home")


def grades(question_id: int, reviewer: str) -> dict[str, int]:
    with read() as session:
        return {key: said.grade for key, said in judged(session, question_id, reviewer).items()}


def test_the_last_word_of_a_person_holds_and_all_words_stay() -> None:
    mine = ask("Anna")
    say("Anna", mine, relevance("pmid:1"), relevance("pmid:2", "not"), relevance("pmid:3"))
    say("Anna", mine, relevance("pmid:1", "not"), relevance("pmid:3", ""))
    assert grades(mine, "Anna") == {"pmid:1": 0, "pmid:2": 0}
    assert list(grades(mine, "Anna")) == ["pmid:1", "pmid:2"]  # a correction takes no other place in a screening
    assert query("SELECT article_key, grade FROM relevance ORDER BY id") == [
        ("pmid:1", 1),
        ("pmid:2", 0),
        ("pmid:3", 1),
        ("pmid:1", 0),
        ("pmid:3", None),
    ]


def test_what_another_wants_for_everybody_is_no_wish_of_ones_own() -> None:
    store_proposed(2)
    theirs, mine = ask("Cora"), ask("Anna")
    say("Cora", theirs, wish(1, for_all=True))
    say("Anna", mine, wish(2))
    with read() as session:
        assert standings(session, "Anna").queued == {2}
    say("Anna", mine, wish(1))  # it comes to her also where Cora takes hers back
    say("Cora", theirs, wish(1, False, for_all=True))
    with read() as session:
        assert standings(session, "Anna").queued == {1, 2} and standings(session, "Cora").queued == set()


@pytest.mark.postgresql
def test_an_event_that_is_sent_twice_is_stored_once() -> None:
    mine, event = ask("Anna"), relevance("pmid:1", waiting=12)
    say("Anna", mine, event)
    say("Anna", mine, event)
    assert query("SELECT event_id, waiting FROM relevance") == [(event["id"], 12)]
    stored, refused = record("Anna", mine, [event | {"value": "not"}])
    assert stored == [] and "something else" in str(refused[0]["reason"])
    assert grades(mine, "Anna") == {"pmid:1": 1}


def test_nothing_is_said_of_the_question_of_another_and_nothing_of_it_is_told() -> None:
    mine, theirs = ask("Anna"), ask("Ben")
    say("Anna", mine, relevance("pmid:1"))
    stored, refused = record("Ben", mine, [relevance("pmid:1", "not")])
    assert stored == [] and refused[0]["reason"] == f"there is no search {mine} of yours"
    assert grades(mine, "Ben") == {} and grades(theirs, "Ben") == {}
    assert record("Ben", 99, [relevance("pmid:1")])[0] == []


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (relevance("pmid:1", "maybe"), "neither relevant"),
        (relevance(""), "a key has"),
        (relevance("x" * 201), "a key has"),
        (relevance("a\x00b"), "cannot be printed"),
        (relevance("pmid:1", waiting="many"), "no number"),
        (relevance("pmid:1") | {"kind": "verdict"}, "none of queue"),
        (wish(99), "no article 99"),
        (wish("one"), "not a number"),
        (wish(1, "yes"), "true or false"),
        (wish(1, reason="x" * 81), "over 80"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_the_reason_and_hinders_nothing_else(event: Any, reason: str) -> None:
    store_proposed(1)
    mine = ask("Anna")
    good = relevance("pmid:7")
    stored, refused = record("Anna", mine, [event, good])
    assert stored == [good["id"]] and reason in str(refused[0]["reason"])
    assert grades(mine, "Anna") == {"pmid:7": 1}
