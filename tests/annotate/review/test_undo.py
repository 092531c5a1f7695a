"""Undo: what one had said before counts again, by a new verdict; only one's own, only what counts, only once."""

import pytest

import annotate.review.verdicts
from annotate.gold.rows import gold_rows
from annotate.project.acting import Actor, Forbidden, acting
from annotate.project.home import read
from annotate.review.assignments import finish_or_leave, take
from annotate.review.events import Refused
from annotate.review.verdicts import undo, why_not_undo
from annotate.team.adjudication import adjudicate
from tests.support.making import judge, paper, query, reading, store, verdict

pytestmark = pytest.mark.usefixtures("home")
SHOWN = {"rank": 2, "cosine": 0.25, "ranking": "hybrid", "model": "tiny"}


@pytest.fixture(autouse=True)
def article(home):
    store(paper(pmid="1"), paper(pmid="2"))


def said() -> list[tuple]:
    return query(
        "SELECT n.name, v.sentence_id, v.value, v.origin, v.rank, v.role FROM verdict v "
        "JOIN annotator n ON n.id = v.annotator_id ORDER BY v.id"
    )


def labels() -> list[tuple[int, str]]:
    with read() as session:
        return [(row["sentence_index"], row["label"]) for row in gold_rows(session)]


def test_the_verdict_before_counts_again_with_its_own_origin():
    judge("Anna", 1, verdict(1, "accept", shown=SHOWN))
    judge("Anna", 1, verdict(1, "reject"))
    undo("Anna", 2, "undo-00001")
    assert said()[-1] == ("Anna", 2, "accept", "proposed", 2, "annotator")
    assert labels() == [(1, "1")]
    assert len(said()) == 3  # nothing was taken out


def test_where_nothing_was_said_before_it_is_withdrawn():
    judge("Anna", 1, verdict(1, "accept", shown=SHOWN))
    undo("Anna", 1, "undo-00001")
    assert said()[-1] == ("Anna", 2, "withdrawn", "proposed", 2, "annotator")
    assert labels() == []


def test_undoing_an_undo_brings_the_verdict_back():
    judge("Anna", 1, verdict(1, "reject"))
    undo("Anna", 1, "undo-00001")
    undo("Anna", 2, "undo-00002")
    assert labels() == [(1, "0")]


def test_a_withdrawal_can_be_undone():
    judge("Anna", 1, verdict(1, "accept"), verdict(1, "withdrawn"))
    undo("Anna", 2, "undo-00001")
    assert labels() == [(1, "1")]


def test_what_others_say_stays():
    judge("Anna", 1, verdict(1, "accept"))
    judge("Ben", 1, verdict(1, "reject"), verdict(2, "accept"))
    undo("Ben", 2, "undo-00001")
    assert labels() == [(1, "1"), (2, "1")]


def test_the_same_event_undoes_once():
    judge("Anna", 1, verdict(1, "accept"), verdict(1, "reject"))
    for _ in range(3):
        undo("Anna", 2, "undo-00001")
    assert [row[2] for row in said()] == ["accept", "reject", "accept"]


def test_an_event_stands_for_one_thing():
    judge("Anna", 1, verdict(1, "accept"), verdict(2, "accept"))
    undo("Anna", 1, "undo-00001")
    with pytest.raises(Refused, match="was used for another event"):
        undo("Anna", 2, "undo-00001")
    assert len(said()) == 3


@pytest.mark.parametrize(
    ("by", "number", "reason"),
    [
        ("Ben", 2, "It is Anna's verdict; only Anna can undo it."),
        ("Anna", 1, "It does not count any more: something else has been said since."),
        ("Anna", 99, "There is no verdict 99."),
        ("Anna", 3, "Nothing was said before it."),
    ],
)
def test_what_cannot_be_undone_is_refused_with_the_reason(by, number, reason):
    judge("Anna", 1, verdict(1, "accept"), verdict(1, "reject"), verdict(2, "withdrawn"))
    judge("Ben", 1, verdict(1, "accept"))
    with read() as session:
        assert why_not_undo(session, by, number) == reason
    before = said()
    with pytest.raises(Refused) as refusal:
        undo(by, number, "undo-00001")
    assert (str(refusal.value), said()) == (reason, before)


def test_nobody_undoes_under_another_name():
    judge("Anna", 1, verdict(1, "accept"))
    with acting(Actor("Ben", account_id=7)), pytest.raises(Forbidden):
        undo("Anna", 1, "undo-00001")
    assert len(said()) == 1


def decide(by: str, value: str, event_id: str) -> int:
    seen = query("SELECT max(id) FROM verdict WHERE sentence_id = 2")[0][0]
    adjudicate(by, 1, 2, value, seen=seen, event_id=event_id)
    return query("SELECT max(id) FROM verdict")[0][0]


def disputed() -> None:
    judge("Anna", 1, verdict(1, "accept"))
    judge("Ben", 1, verdict(1, "reject"))


def test_an_adjudicators_decision_gives_way_to_their_own_before_it():
    disputed()
    decide("Carla", "accept", "decision-1")
    undo("Carla", decide("Carla", "reject", "decision-2"), "undo-00001")
    assert labels() == [(1, "1")]
    assert said()[-1][:3] == ("Carla", 2, "accept") and said()[-1][5] == "adjudicator"


def test_undoing_a_decision_never_decides_in_anothers_stead():
    disputed()
    decide("Carla", "accept", "decision-1")
    undo("Dora", decide("Dora", "reject", "decision-2"), "undo-00001")
    assert labels() == [(1, "disputed")]
    assert said()[-1][:3] == ("Dora", 2, "withdrawn")


def test_ones_own_verdict_is_undone_after_a_decision_too_which_stands():
    disputed()
    decide("Carla", "accept", "decision-1")
    undo("Ben", 2, "undo-00001")
    assert said()[-1][:3] == ("Ben", 2, "withdrawn")
    assert labels() == [(1, "1")]
    assert query("SELECT count(*) FROM verdict") == [(4,)]


def test_ones_own_verdict_is_undone_when_the_article_is_finished_too():
    assert take("Anna", 1) is not None
    judge("Anna", 1, verdict(1, "accept"), reading())
    finish_or_leave("Anna", 1)
    assert query("SELECT ended_at IS NOT NULL, ending FROM assignment") == [(1, "finished")]
    undo("Anna", 1, "undo-00001")
    assert said()[-1][:3] == ("Anna", 2, "withdrawn")
    assert labels() == []


def test_undoing_a_decision_needs_the_right_to_decide(monkeypatch):
    disputed()
    number = decide("Carla", "accept", "decision-1")

    def refuse(session, right):
        raise Forbidden(str(right))

    monkeypatch.setattr(annotate.review.verdicts, "demand", refuse)
    with pytest.raises(Forbidden, match="decide disputed sentences"):
        undo("Carla", number, "undo-00001")
    assert labels() == [(1, "1")]
