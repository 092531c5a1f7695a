"""Disagreements and decisions: what is disputed and when, what a decision stores, and that it wins everywhere."""

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from annotate.active_learning.live_state import state_of
from annotate.evaluation.evaluate_version import evaluate
from annotate.gold.label_sets import current_label_set, labels_now
from annotate.gold.rows import gold_rows
from annotate.project.acting import Actor, Forbidden, acting
from annotate.project.home import read
from annotate.retraining.training_set import labelled_articles
from annotate.review.assignments import finish_or_leave
from annotate.review.events import MAX_COMMENT, Refused
from annotate.review.progress import progress
from annotate.review.verdicts import record
from annotate.team.adjudication import Case, ChangedSinceOpened, Disputed, Kinds, adjudicate, cases, disputed_articles
from model.proposing.ranking import Ranking
from tests.support.figures import times
from tests.support.live_world import live_world, log_odds
from tests.support.making import (
    SENTENCES,
    comment,
    judge,
    paper,
    pmids,
    propose_with,
    query,
    reading,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.queueing import begin, given, set_queue
from tests.support.reviewed import write_pool
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

pytestmark = pytest.mark.usefixtures("home")
SHOWN = {"rank": 2, "cosine": 0.5, "ranking": "hybrid", "model": "tiny"}


def articles(number: int = 1) -> None:
    """Articles of three sentences; their ids are 1, 2, ..."""
    store(*(paper(SENTENCES, pmid=str(pmid)) for pmid in range(1, number + 1)))


def disputes(**kinds: bool) -> list[tuple[int, list[int]]]:
    """(article id, positions of its disputed sentences), in the queue's order."""
    positions = dict(query("SELECT id, position FROM sentence"))
    with read() as session:
        found = disputed_articles(session, Kinds(**kinds))
    return [(row.article_id, sorted(positions[number] for number in row.sentence_ids)) for row in found]


def case(position: int = 0, article_id: int = 1) -> Case:
    number = query("SELECT id FROM sentence WHERE article_id = :a AND position = :p", a=article_id, p=position)[0][0]
    with read() as session:
        return next(found for found in cases(session, article_id) if found.sentence_id == number)


def decide(value: str, position: int = 0, article_id: int = 1, *, by: str = "Carla", words: str = "") -> int:
    found = case(position, article_id)
    event = secrets.token_hex(16)
    return adjudicate(by, article_id, found.sentence_id, value, seen=found.seen, event_id=event, comment=words)


def disagree(article_id: int = 1) -> None:
    judge("Anna", article_id, verdict(0, shown=SHOWN), verdict(1, "reject"))
    judge("Ben", article_id, verdict(0, "reject"), verdict(1, "reject"))


def test_verdicts_that_differ_are_disputed_and_most_come_first():
    articles(3)
    disagree(2)
    judge("Anna", 3, verdict(0), verdict(1), verdict(2, "unsure"))
    judge("Ben", 3, verdict(0, "reject"), verdict(1, "reject"), verdict(2, "reject"))
    judge("Anna", 1, verdict(0))
    assert disputes() == [(3, [0, 1]), (2, [0])]
    assert disputes(unsure=True) == [(3, [0, 1, 2]), (2, [0])]
    judge("Ben", 3, verdict(0, "withdrawn"), verdict(1, "accept"))
    assert disputes() == [(2, [0])]


def test_what_a_reader_passed_over_is_disputed_unless_left_out():
    articles()
    judge("Anna", 1, verdict(0), verdict(1, "reject"), verdict(2, "unsure"))
    judge("Ben", 1, reading())
    assert disputes() == [(1, [0])]
    assert disputes(passed_over=False) == []
    assert [(said.name, said.value, said.at is None) for said in sorted(case().judgements, key=lambda s: s.name)] == [
        ("Anna", "accept", False), ("Ben", "reject", True),
    ]  # fmt: skip


def test_a_decision_settles_a_sentence_until_somebody_contradicts_it():
    articles()
    disagree()
    decide("accept")
    assert disputes() == []
    assert not case().is_open
    judge("Ben", 1, verdict(0, "accept"))  # comes round
    assert disputes() == []
    judge("Ben", 1, verdict(0, "unsure"))
    assert disputes() == []
    assert disputes(unsure=True) == [(1, [0])]
    judge("Anna", 1, verdict(0, "reject"))  # now nobody is of the curator's opinion
    assert disputes() == [(1, [0])]
    assert case().is_open
    assert case().decision.value == "accept"
    decide("reject")
    assert disputes() == []


def test_a_decision_that_is_withdrawn_leaves_the_sentence_disputed():
    articles()
    disagree()
    decide("unsure")
    assert disputes() == []
    decide("withdrawn", by="Dan")
    assert disputes() == [(1, [0])]
    assert case().decision is None
    assert query("SELECT value, role FROM verdict ORDER BY id")[-2:] == [
        ("unsure", "adjudicator"), ("withdrawn", "adjudicator"),
    ]  # fmt: skip


def test_a_decision_copies_what_the_annotators_saw_and_keeps_their_verdicts():
    articles()
    disagree()
    before = query("SELECT * FROM verdict ORDER BY id")
    decide("accept", words="  Made here. \x00")
    rows = query("SELECT value, role, origin, rank, cosine, ranking, version, name FROM verdict v "
                 "JOIN annotator a ON a.id = v.annotator_id ORDER BY v.id")  # fmt: skip
    assert rows[-1] == ("accept", "adjudicator", "proposed", 2, 0.5, "hybrid", "tiny", "Carla")
    assert query("SELECT * FROM verdict ORDER BY id")[:-1] == before
    decide("reject", by="Dan")
    assert query("SELECT value, origin, rank FROM verdict ORDER BY id")[-1] == ("reject", "added", None)
    judge("Anna", 1, comment(0, "It is new here."))
    found = case()
    assert (found.decision.name, found.decision.value, found.decision.comment) == ("Dan", "reject", "")
    assert {said.name: said.comment for said in found.judgements} == {"Anna": "It is new here.", "Ben": ""}
    assert query("SELECT text FROM comment ORDER BY id")[0] == ("Made here.",)
    assert (found.paragraph[found.start : found.end], found.section) == (SENTENCES[0], "Abstract")


def test_letters_stand_for_the_same_people_within_an_article_alone():
    articles(12)
    for number in range(1, 13):
        judge("Anna", number, verdict(0), verdict(1, "reject"))
        judge("Ben", number, verdict(0, "reject"), verdict(1))
    letters = []
    for number in range(1, 13):
        first, second = ({said.name: said.letter for said in case(p, number).judgements} for p in (0, 1))
        assert first == second
        letters.append(first["Anna"])
    assert set(letters) == {"A", "B"}


def test_what_nobody_judged_or_decided_is_refused():
    articles()
    disagree()
    number = query("SELECT id FROM sentence WHERE position = 2")[0][0]
    with pytest.raises(Refused, match="no annotator judges"):
        adjudicate("Carla", 1, number, "accept", seen=0, event_id="e")
    with pytest.raises(Refused, match="nothing is decided"):
        decide("withdrawn")
    with pytest.raises(Refused, match="none of accept, reject"):
        decide("maybe")
    with pytest.raises(Refused, match="at most"):
        decide("accept", words="x" * (MAX_COMMENT + 1))
    judge("Anna", 1, verdict(0, "withdrawn"), verdict(1, "withdrawn"))
    seen = query("SELECT max(id) FROM verdict WHERE value = 'withdrawn' AND sentence_id < 2")[0][0]
    judge("Ben", 1, verdict(0, "withdrawn"))
    with pytest.raises(ChangedSinceOpened, match="changed since you opened it"):
        adjudicate("Carla", 1, 1, "accept", seen=seen, event_id="e")
    assert query("SELECT count(*) FROM verdict WHERE role = 'adjudicator'") == [(0,)]


def test_an_event_is_stored_once_and_stands_for_one_thing():
    articles()
    disagree()
    found = case()
    told = {"seen": found.seen, "event_id": "click", "comment": "Yes."}
    number = adjudicate("Carla", 1, found.sentence_id, "accept", **told)
    assert adjudicate("Carla", 1, found.sentence_id, "accept", **told) == number
    for by, value in (("Dan", "accept"), ("Carla", "reject")):
        with pytest.raises(Refused, match="was used for another event"):
            adjudicate(by, 1, found.sentence_id, value, **told)
    assert query("SELECT count(*) FROM verdict WHERE role = 'adjudicator'") == [(1,)]
    assert query("SELECT count(*) FROM comment") == [(1,)]


def test_only_whoever_may_adjudicate_does():
    articles()
    disagree()
    found = case()
    with acting(Actor("Anna", account_id=7)), pytest.raises(Forbidden):
        adjudicate("Anna", 1, found.sentence_id, "accept", seen=found.seen, event_id="e")
    assert query("SELECT count(*) FROM verdict WHERE role = 'adjudicator'") == [(0,)]


def waiting() -> list[Disputed]:
    with read() as session:
        return disputed_articles(session)


def test_an_article_waits_until_the_experts_that_it_needs_are_done():
    begin(1, double_share=1.0, experts=2)
    assert given("Anna") == given("Ben") == 1
    judge("Anna", 1, verdict(0), verdict(1))
    finish_or_leave("Anna", 1)
    judge("Ben", 1, verdict(0, "reject"))
    assert [(row.article_id, row.at_work) for row in waiting()] == [(1, True)]
    finish_or_leave("Ben", 1)  # left for later: Ben is still wanted
    assert waiting()[0].at_work
    judge("Ben", 1, verdict(1))
    finish_or_leave("Ben", 1)
    assert not waiting()[0].at_work


def test_more_wanted_experts_than_there_are_do_not_block_decisions():
    begin(1, double_share=1.0, experts=3)
    for name, value in (("Anna", "accept"), ("Ben", "reject")):
        given(name)
        judge(name, 1, verdict(0, value), verdict(1))
        finish_or_leave(name, 1)
    assert not waiting()[0].at_work
    assert given("Chloe") == 1
    assert waiting()[0].at_work  # in her hands
    judge("Chloe", 1, verdict(0))
    finish_or_leave("Chloe", 1)
    assert waiting()[0].at_work  # in work, since she is wanted
    set_queue(double_share=0.0)
    assert not waiting()[0].at_work


def counts() -> dict[str, int]:
    with read() as session:
        now = progress(session)
    return {"found": now.found}


def test_a_decision_reaches_labels_training_and_progress_and_its_end_restores_the_majority():
    begin(1)
    for name, value in (("Anna", "reject"), ("Ben", "reject"), ("Chloe", "accept")):
        judge(name, 1, verdict(0, value), verdict(1))

    def label() -> dict[int, int]:
        with read() as session:
            kept = labels_now(session).labels
            assert kept == current_label_set(session).labels
            taught = labelled_articles(session, labels_now(session), split)
            assert {p: label for p, label in enumerate(taught[0].labels) if label != -1} == kept[1]
        return kept[1]

    split = query("SELECT split FROM article")[0][0]
    assert (label(), counts()) == ({0: 0, 1: 1}, {"found": 1})
    decide("accept")
    assert (label(), counts()) == ({0: 1, 1: 1}, {"found": 2})
    judge("Dora", 1, verdict(0, "reject"))  # contradicted, but a decision stands until a curator says otherwise
    assert (label(), counts()) == ({0: 1, 1: 1}, {"found": 2})
    with read() as session:
        assert [(row["label"], row["decided_by"]) for row in gold_rows(session)] == [("1", "Carla"), ("1", "")]
    decide("unsure")
    assert (label(), counts()) == ({1: 1}, {"found": 1})
    decide("withdrawn")
    assert (label(), counts()) == ({0: 0, 1: 1}, {"found": 1})
    with read() as session:
        assert [(row["label"], row["decided_by"]) for row in gold_rows(session)] == [("0", ""), ("1", "")]


def test_a_decision_reaches_the_evaluation():
    generic = GENERIC_QUERIES[BEST_GENERIC]
    store(paper(pmid=pmids("test", 1)[0]))
    version = version_without_weights("tiny")
    propose_with(version)
    store_cosines(version, 1, generic, (0.875, 0.75, 0.125))
    for name, value in (("Anna", "accept"), ("Ben", "reject")):
        judge(name, 1, verdict(1), verdict(0, value))

    def arp() -> tuple[float, int]:
        metrics = evaluate(version, Ranking.COSINE, "test")[1].metrics
        return metrics["arp"], metrics["key_sentences"]

    assert arp() == (0.0, 1)  # the tie has no label, and sentence 0 ranks before the key one
    decide("accept")
    assert arp() == (1.0, 2)
    decide("withdrawn")
    assert arp() == (0.0, 1)


def test_a_decision_reaches_what_is_learnt_at_once():
    live_world()
    judge("Anna", 2, verdict(1), verdict(2, "reject"))
    judge("Ben", 2, verdict(1, "reject"), verdict(2, "reject"))

    def learnt() -> tuple[int, Any]:
        with read() as session:
            return state_of(session).learnt(session, 2).labels, log_odds(2)

    labels, odds = learnt()
    decide("accept", 1, 2)
    more, with_key = learnt()
    assert more == labels + 1
    assert with_key[1] > odds[1]
    decide("withdrawn", 1, 2)
    fewer, again = learnt()
    assert fewer == labels
    assert again == pytest.approx(odds)


def race(*rivals: Callable[[], Any]) -> list[Any]:
    """What each returned or raised, all of them let go at the same moment."""
    gate = threading.Barrier(len(rivals))

    def run(rival: Callable[[], Any]) -> Any:
        gate.wait()
        try:
            return rival()
        except ChangedSinceOpened as error:
            return error

    with ThreadPoolExecutor(len(rivals)) as pool:
        return list(pool.map(run, rivals))


SIZE = 10
RACES = times(5, 100) * SIZE


def sentence(number: int) -> tuple[int, int, int]:
    """(article id, position, sentence id) of one of the pool's."""
    return number // SIZE + 1, number % SIZE, number + 1


def test_two_annotators_at_once_are_both_kept_and_the_sentence_is_disputed(record_property):
    write_pool(RACES // SIZE, SIZE, [()] * (RACES // SIZE))
    for number in range(RACES):
        article_id, position, _ = sentence(number)
        events = {name: [verdict(position, value)] for name, value in (("Anna", "accept"), ("Ben", "reject"))}
        stored = race(
            *[lambda a=article_id, e=events: record("Anna", a, e["Anna"])] * 2,  # a click that arrives twice
            lambda a=article_id, e=events: record("Ben", a, e["Ben"]),
        )
        assert [acknowledged for acknowledged, _ in stored] == [
            [events[who][0]["id"]] for who in ("Anna", "Anna", "Ben")
        ]
    assert query("SELECT count(*), count(DISTINCT sentence_id) FROM verdict") == [(2 * RACES, RACES)]
    assert disputes() == [(number + 1, list(range(SIZE))) for number in range(RACES // SIZE)]
    record_property("races_of_two_annotators", RACES)


def disputed_pool() -> None:
    """RACES sentences about which Anna and Ben disagree."""
    write_pool(RACES // SIZE, SIZE, [()] * (RACES // SIZE))
    for article_id in range(1, RACES // SIZE + 1):
        for name, value in (("Anna", "accept"), ("Ben", "reject")):
            judge(name, article_id, *(verdict(p, value) for p in range(SIZE)))


def last(number: int) -> int:
    return query("SELECT max(id) FROM verdict WHERE sentence_id = :n", n=number)[0][0]


def test_a_double_click_is_one_decision(record_property):
    disputed_pool()
    for number in range(RACES):
        article_id, _, name = sentence(number)
        told = {"seen": last(name), "event_id": f"click-{number}", "comment": "Once."}
        first, second = race(*[lambda a=article_id, n=name, t=told: adjudicate("Carla", a, n, "accept", **t)] * 2)
        assert first == second
    assert query("SELECT count(*), count(DISTINCT sentence_id) FROM verdict WHERE role = 'adjudicator'") == [
        (RACES, RACES)
    ]
    assert query("SELECT count(*) FROM comment") == [(RACES,)]
    assert disputes() == []
    record_property("double_clicks", RACES)


def test_of_two_curators_at_once_the_second_is_told(record_property):
    disputed_pool()
    for number in range(RACES):
        article_id, _, name = sentence(number)
        seen = last(name)
        outcomes = race(
            lambda a=article_id, n=name, s=seen, i=number: adjudicate("C", a, n, "accept", seen=s, event_id=f"c-{i}"),
            lambda a=article_id, n=name, s=seen, i=number: adjudicate("D", a, n, "reject", seen=s, event_id=f"d-{i}"),
        )
        told = [found for found in outcomes if isinstance(found, ChangedSinceOpened)]
        assert (len(told), str(told[0])) == (1, "this sentence changed since you opened it")
        assert last(name) in outcomes
    assert query("SELECT count(*) FROM verdict WHERE role = 'adjudicator'") == [(RACES,)]
    record_property("races_of_two_curators", RACES)
