"""The history: every write leaves an event, filters and pages lose none, and nobody sees what is not theirs."""

import csv
import io
import json
from collections import Counter
from itertools import pairwise

import pytest

import db.registry
import db.rows
from annotate.articles.document_labels import store_labels
from annotate.cli.main import main
from annotate.curation.assigning import assign
from annotate.project.acting import ANONYMOUS, OPERATOR, Actor, Forbidden, acting
from annotate.project.home import read, write
from annotate.project.notes import Noted, note
from annotate.project.refusals import note_refusal
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.review.queue_settings import QueueSettings
from annotate.team import history
from annotate.team.history import KINDS, events, find_article
from db.tables import Promotion, Setting
from db.team.history import Filter, people
from db.values import BOOKKEEPING, Kind
from tests.support.history_writes import WRITES, begin, decision, restored, told, verdicts
from tests.support.labels import gene_labels
from tests.support.making import comment, judge, paper, query, reading, store, store_proposed, verdict
from tests.support.team import add

pytestmark = pytest.mark.usefixtures("home", "ticking")


def test_what_is_noted_says_who_and_what_in_the_callers_transaction():
    begin()
    with acting(Actor("Mary", operator=True)), write(Right.SYSTEM) as session:
        note(session, "backup", "backed up", article_id=1, bytes=5)
    with pytest.raises(RuntimeError), write(Right.SYSTEM) as session:
        note(session, "backup", "never happened")
        raise RuntimeError
    assert query("SELECT kind, done_by, article_id, summary FROM history") == [("backup", "Mary", 1, "backed up")]
    ((details,),) = query("SELECT CAST(details AS TEXT) FROM history")
    assert json.loads(details) == {"bytes": 5}
    (event,) = told()
    assert (event.kind, event.who, event.what, event.article) == ("backup", "Mary", "backed up", "pmid:1")


def test_an_unknown_kind_is_refused_by_naming_the_known_ones():
    with pytest.raises(ValueError, match="it must be one of labels, tag, removal"), write(Right.SYSTEM) as session:
        note(session, "gossip", "heard")


@pytest.mark.parametrize("name", WRITES)
def test_every_write_leaves_an_event(name, tmp_path):
    begin()
    write_it, expected = WRITES[name]
    write_it(tmp_path)
    found = [(event.kind, event.who, event.what) for event in told()][: len(expected)]
    assert [(kind, who) for kind, who, _ in found] == [(kind, who) for kind, who, _ in expected]
    assert all(what.startswith(start) for (_, _, what), (_, _, start) in zip(found, expected, strict=True))


@pytest.mark.sqlite
def test_a_backup_and_its_restoring_leave_an_event_each(tmp_path):
    begin()
    with acting(OPERATOR):
        assert main(["backup", str(tmp_path / "copy.tar")]) == 0
    assert next((event.kind, event.who) for event in told()) == ("backup", "operator")
    restored(tmp_path)


def test_each_kind_is_left_by_a_write_that_is_tested_here_and_filters_to_itself(tmp_path):
    begin()
    left = {kind for _, expected in WRITES.values() for kind, _, _ in expected}
    assert left | {"backup", "restore", "encoder"} == set(KINDS)
    everything(tmp_path)
    with write(Right.SYSTEM) as session:
        for kind in Noted:
            note(session, kind, f"noted {kind}")
        for reason in ("better", db.registry.ROLLED_BACK):
            db.rows.add(session, Promotion(kind=Kind.ENCODER, version_id=1, promoted_by="Mary", reason=reason))
    counted = Counter(event.kind for event in told(limit=1000))
    assert set(counted) == set(KINDS) - {"decision"}  # which has a test of its own
    for kind in KINDS:
        found = told(Filter(frozenset({kind})), limit=1000)
        assert Counter(event.kind for event in found) == +Counter({kind: counted[kind]})


def test_an_encoder_that_is_added_is_noted(tiny_home):
    assert [(event.kind, event.what) for event in told() if event.kind == "encoder"] == [
        ("encoder", "added the encoder tiny")
    ]


def test_labels_that_stay_as_they_are_leave_no_event():
    begin()
    for _ in range(2):
        store_labels(1, gene_labels("TP53", "", "KO"))
    assert len(told()) == 1


def test_what_keyline_keeps_for_itself_is_no_act_of_a_person():
    begin()
    change_settings("Mary", QueueSettings(strategy="random"))
    with write(Right.SYSTEM) as session:
        for name in BOOKKEEPING:
            db.rows.add(session, Setting(name=name, content={"verdicts": 5}, changed_by="Mary"))
    assert [event.what.partition(":")[0] for event in told()] == ["queue"]


def test_an_event_says_where_it_came_from():
    begin()
    verdicts()
    judge("Anna", 1, verdict(1))
    assert [(event.sentence, event.source) for event in told()] == [
        (1, "added"),
        (0, "proposed, rank 3, cosine 0.500, hybrid, v1"),
    ]


def everything(tmp_path) -> None:
    begin()
    for write_it, _ in WRITES.values():
        if write_it not in (WRITES["a decision"][0], WRITES["an undo"][0], WRITES["a snapshot"][0]):
            name = next(name for name, (one, _) in WRITES.items() if one is write_it)
            if name not in ("a promotion", "a rollback"):  # the version is there already
                write_it(tmp_path)


def test_pages_of_any_size_tell_each_event_once_newest_first(tmp_path):
    everything(tmp_path)
    whole = told(limit=1000)
    counted = "SELECT count(*) FROM "
    tables = ("verdict", "comment", "reading", "audit_verdict", "setting", "promotion", "job", "history")
    tables += ("queue_request", "relevance", "related_verdict")
    assert len(whole) == sum(query(counted + table)[0][0] for table in tables) > 10
    assert all(one.time >= other.time for one, other in pairwise(whole))
    for size in (1, 2, 3, 7):
        found, cursor, pages = [], None, 0
        while cursor is not None or not pages:
            with read() as session:
                page = events(session, history.ALL, size, cursor)
            found += page.events
            cursor, pages = page.next, pages + 1
        assert Counter((event.kind, event.id) for event in found) == Counter((e.kind, e.id) for e in whole)
        assert pages == -(-len(whole) // size)


def test_what_is_stored_meanwhile_neither_shifts_a_page_nor_comes_twice():
    begin()
    judge("Anna", 1, verdict(0), verdict(1), comment(0, "a"), comment(1, "b"))
    with read() as session:
        first = events(session, history.ALL, 2)
    judge("Ben", 2, verdict(0), comment(0, "c"))
    with read() as session:
        second = events(session, history.ALL, 2, first.next)
    assert {(e.kind, e.id) for e in (*first.events, *second.events)} == {
        ("verdict", 1), ("verdict", 2), ("comment", 1), ("comment", 2)
    }  # fmt: skip
    assert second.next is None


def test_filters_by_kind_person_article_sentence_and_time(tmp_path):
    begin()
    judge("Anna", 1, verdict(0), comment(0, "x"), reading())
    judge("Ben", 2, verdict(1))
    store_labels(2, gene_labels("TP53", "", ""))
    change_settings("Mary", QueueSettings(strategy="random"))

    def kinds(wanted: Filter) -> list[str]:
        return sorted(event.kind for event in told(wanted))

    assert kinds(Filter(frozenset({"verdict", "settings"}))) == ["settings", "verdict", "verdict"]
    assert kinds(Filter(person="Anna")) == ["comment", "reading", "verdict"]
    assert kinds(Filter(person="Mary")) == ["settings"]
    assert kinds(Filter(person="Zed")) == []
    assert kinds(Filter(article_id=2)) == ["labels", "verdict"]
    assert kinds(Filter(article_id=1, sentence_id=1)) == ["comment", "verdict"]
    assert kinds(Filter(since="2999-01-01T00:00:00.000Z")) == kinds(Filter(until="2001-01-01T00:00:00.000Z")) == []
    assert len(kinds(Filter(since="2001-01-01T00:00:00.000Z", until="2999-01-01T00:00:00.000Z"))) == 6
    with read() as session:
        assert people(session) == ["Anna", "Ben", "Mary", "operator"]


def test_decisions_and_verdicts_are_told_apart():
    begin()
    decision()
    assert [event.who for event in told(Filter(frozenset({"decision"})))] == ["Carla"]
    assert [event.who for event in told(Filter(frozenset({"verdict"})))] == ["Ben", "Anna"]


def test_a_verdict_that_was_not_blind_says_so_and_how_it_came_up():
    store_proposed(1)
    change_settings("Cora", QueueSettings(double_share=1.0))
    judge("Anna", 1, verdict(0), verdict(1))
    judge("Ben", 1, verdict(0), verdict(1))
    judge("Anna", 1, verdict(0, "reject"))
    sources = [event.source for event in told(Filter(frozenset({"verdict"})))]
    assert sources[0] == "added, not blind: given after the others' verdicts were shown"
    assert set(sources[1:]) == {"added"}


def test_without_the_right_one_sees_ones_own_events_alone(monkeypatch):
    begin()
    judge("Anna", 1, verdict(0))
    judge("Ben", 1, verdict(0, "reject"))
    change_settings("Mary", QueueSettings(strategy="random"))
    allowed = {Right.REVIEW}
    monkeypatch.setattr(history, "allowed", lambda session, right: right in allowed)
    monkeypatch.setattr(history, "demand", lambda session, right: None)
    with acting(Actor("Anna", account_id=1)):
        for wanted in (history.ALL, Filter(person="Ben"), Filter(person=None), Filter(article_id=1, sentence_id=1)):
            assert {event.who for event in told(wanted)} == {"Anna"}


def test_what_was_refused_is_shown_only_with_the_right_to_see_everybody(monkeypatch):
    begin()
    judge("Anna", 1, verdict(0))
    add("Anna")
    with acting(Actor("Anna", account_id=1)):
        note_refusal("Anna may not open the page People")
    assert str(Noted.REFUSED) in {event.kind for event in told()}
    with acting(Actor("Anna", account_id=1)):
        monkeypatch.setattr(history, "allowed", lambda session, right: False)
        monkeypatch.setattr(history, "demand", lambda session, right: None)
        assert {event.kind for event in told()} == {"verdict"}
        assert told(Filter(frozenset({str(Noted.REFUSED)}))) == []


def test_nobody_sees_nothing_and_exports_need_the_right():
    begin()
    judge("Anna", 1, verdict(0))
    with acting(ANONYMOUS):
        with pytest.raises(Forbidden):
            told()
        for write_file in history.FORMATS.values():
            with pytest.raises(Forbidden):
                write_file(history.ALL)
        with pytest.raises(Forbidden):
            history.note_download("history.csv")
    assert query("SELECT count(*) FROM history") == [(0,)]


def test_the_files_hold_the_filtered_history(monkeypatch):
    begin()
    judge("Anna", 1, verdict(0), comment(0, '=cmd "x"\nline'))
    judge("Ben", 1, verdict(0, "reject"))
    monkeypatch.setattr(history, "EXPORTED_AT_ONCE", 1)
    wanted = Filter(person="Anna")
    rows = list(csv.DictReader(io.StringIO(history.as_csv(wanted).decode(), newline="")))
    assert sorted((row["who"], row["kind"], row["what"]) for row in rows) == [
        ("Anna", "comment", '\'=cmd "x"\nline'),
        ("Anna", "verdict", "key sentence"),
    ]
    lines = [json.loads(line) for line in history.as_jsonl(wanted).decode().split("\n")[:-1]]
    assert sorted((line["kind"], line["article"], line["sentence"]) for line in lines) == [
        ("comment", "pmid:1", 0),
        ("verdict", "pmid:1", 0),
    ]


@pytest.mark.parametrize(
    "named", ["1", " pmid:1 ", "PMC7", "pmc7", "PMCID: PMC7.2", "10.1/A", "https://doi.org/10.1/a", "doi:10.1/a"]
)
def test_an_article_is_found_by_what_people_call_it(named):
    store(paper(pmid="1", pmcid="PMC7", doi="10.1/a"))
    with read() as session:
        assert find_article(session, named) == 1
        assert find_article(session, "nothing") is None


def test_every_kind_that_is_noted_can_be_filtered_by():
    assert set(Noted) < set(KINDS)


def test_an_assignment_is_an_event_of_who_made_it():
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(0))
    with acting(Actor("Cora", operator=True)):
        assign([1], "Anna")
        with read() as session:
            wanted = {name: Filter(person=name, kinds=frozenset({"queued"})) for name in ("Cora", "Anna")}
            of = {name: [(one.who, one.what) for one in events(session, own).events] for name, own in wanted.items()}
    assert of == {"Cora": [("Cora", "assigned to Anna")], "Anna": []}
