"""Gold: everybody's latest verdicts as one label a sentence, and a hash that knows no database."""

import csv
import threading
from itertools import permutations

import pytest

import annotate.gold.import_file
import annotate.gold.label_sets
import db.articles
import db.gold
from annotate.gold.export_file import FORMATS, export
from annotate.gold.import_file import import_gold
from annotate.gold.label_sets import DISPUTED, LABEL_NAMES, Rule, current_label_set, labels_now, live_gold, resolve
from annotate.gold.rows import gold_columns, gold_rows, live_manifest, manifest, names_in
from annotate.project.acting import Forbidden
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.team.adjudication import adjudicate
from tests.support.labels import gene_labels, set_labels
from tests.support.making import comment, judge, paper, query, reading, store, verdict
from tests.support.topics import TOPIC

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize(
    ("values", "label"),
    [
        (["accept"], "1"),
        (["reject"], "0"),
        (["unsure"], "unsure"),
        (["unsure", "unsure"], "unsure"),
        (["accept", "reject"], "disputed"),
        (["accept", "accept", "reject"], "1"),
        (["accept", "reject", "reject"], "0"),
        (["accept", "unsure", "unsure"], "1"),
        (["accept", "reject", "unsure"], "disputed"),
        (["accept", "accept", "reject", "reject"], "disputed"),
    ],
)
def test_the_majority_of_accept_and_reject_decides_in_any_order(values, label):
    assert {resolve(order) for order in permutations(values)} == {label}


def rows():
    with read() as session:
        return gold_rows(session)


def label_set():
    with read() as session:
        return current_label_set(session)


def test_a_row_says_all_that_is_known_of_a_sentence():
    store(paper(body=("Growth of the cells decreased.",), pmid="1", pmcid="PMC1", doi="10.1/a", title="Loss of TP53"))
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53|p53; KRAS", "HeLa; A549", "KO"))
    shown = {"rank": 1, "cosine": 0.25, "ranking": "hybrid", "model": "tiny"}
    judge("Anna", 1, verdict(1, "accept", shown=shown, time=0), comment(1, "clear"))
    judge("Ben", 1, verdict(1, "accept", time=60), comment(1, "yes, α"), reading())
    judge("Chris", 1, verdict(1, "unsure", time=120))
    (row,) = rows()
    assert {name: row[name] for name in gold_columns(TOPIC)} == {
        "pmid": "1",
        "pmcid": "PMC1",
        "doi": "10.1/a",
        "title": "Loss of TP53",
        "section": "Abstract",
        "sentence_index": 1,
        "paragraph_start": 19,
        "paragraph_end": 54,
        "sentence": "Here we deleted TP53 in HeLa cells.",
        "label": "1",
        "origin": "added",  # of the last who agrees with the label
        "rank": "",
        "cosine": "",
        "ranking": "",
        "model_version": "",
        "annotators": "Anna; Ben; Chris",
        "verdicts": "Anna: accept; Ben: accept; Chris: unsure",
        "read_in_full_by": "Ben",
        "genes": "TP53",  # those of the document that the sentence names
        "cells": "HeLa",
        "edit": "KO",
        "time": "1970-01-01T00:01:00.000Z",
        "comment": "Anna: clear\nBen: yes, α",
        "commented_by": "Anna; Ben",
        "decided_by": "",
        "gene_identifiers": "",
        "cell_identifiers": "",
        "role": "",
        "function": "",
        "article": "pmid:1",
        "journal": "",
        "year": "",
        "licence": "",
        "tags": "",
        "article_sentences": "4",
    }


def test_a_rejected_sentence_names_its_genes_but_no_edit():
    store(paper(pmid="1"))
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53|p53", "", "KO"))
    judge("Anna", 1, verdict(1, "reject"), verdict(0, "accept"))
    assert [(row["label"], *names_in(row).values()) for row in rows()] == [("1", "", "", ""), ("0", "TP53", "", "")]


@pytest.mark.postgresql
def test_rows_come_by_article_and_position_and_withdrawn_ones_do_not():
    store(paper(pmid="1"), paper(pmid="2"))
    judge("Anna", 2, verdict(2, "accept"), verdict(0, "reject"), verdict(1, "accept"))
    judge("Anna", 1, verdict(1, "unsure"), verdict(0, "accept"))
    judge("Anna", 2, verdict(1, "withdrawn"))
    assert [(row["pmid"], row["sentence_index"], row["label"]) for row in rows()] == [
        ("1", 0, "1"),
        ("1", 1, "unsure"),
        ("2", 0, "0"),
        ("2", 2, "1"),
    ]


def test_the_manifest_counts_articles_of_one_title_as_the_screen_does():
    store(*(paper((text,), title="Editorial") for text in ("One grew.", "Another grew.")))
    for article_id in (1, 2):
        judge("Anna", article_id, verdict(0))
    with read() as session:
        assert manifest(session, gold_rows(session)) == live_manifest(session, live_gold(session))


def test_the_manifest_counts_what_the_rows_hold():
    store(paper(pmid="1"), paper(pmid="2"))
    judge("Anna", 1, verdict(0, "accept"), verdict(1, "reject", shown={"rank": 1}), verdict(2, "unsure"))
    judge("Ben", 1, verdict(0, "reject"))
    judge("Ben", 2, verdict(0, "accept"), verdict(1, "withdrawn"))
    with read() as session:
        found = manifest(session, gold_rows(session))
        sha256 = current_label_set(session).sha256
    assert found == {
        "rows": 4,
        "articles": 2,
        "by_label": {"0": 1, "1": 1, "disputed": 1, "unsure": 1},
        "by_origin": {"added": 3, "proposed": 1},
        "by_annotator": {"Anna": 3, "Ben": 2},
        "read_in_full": [],
        "label_set_sha256": sha256,
    }


def test_the_label_set_leaves_out_what_is_not_decided():
    store(paper(pmid="1"), paper(pmid="2"), paper(pmid="3"))
    judge("Anna", 1, verdict(0, "accept"), verdict(1, "reject"), verdict(2, "unsure"))
    judge("Ben", 2, verdict(0, "accept"), reading())
    judge("Anna", 2, verdict(0, "reject"))
    judge("Anna", 3, reading(), reading(False))
    found = label_set()
    assert found.labels == {1: {0: 1, 1: 0}}
    assert found.read == {2}


@pytest.mark.postgresql
def test_label_sets_of_two_databases_with_other_ids_have_one_hash(other_home):
    def fill(order: list[str], annotators: list[str]) -> str:
        for pmid in order:
            store(paper(pmid=pmid))
        for name in annotators:
            for pmid, events in {"5": [verdict(1)], "6": [verdict(0, "reject"), verdict(2), reading()]}.items():
                with read() as session:
                    article_id = db.articles.find_by_name(session, pmid=pmid)
                judge(name, article_id, *events)
        return label_set().sha256

    one = fill(["5", "6"], ["Anna"])
    other_home()
    other = fill(["9", "6", "8", "5"], ["Ben", "Chris"])
    assert one == other and len(one) == 64
    judge("Ben", 2, verdict(1, "reject"))
    judge("Chris", 2, verdict(1, "reject"))
    assert label_set().sha256 != one


def test_an_empty_database_has_an_empty_label_set():
    assert (label_set().labels, label_set().read, rows()) == ({}, frozenset(), [])


@pytest.mark.writes_while_reading("a snapshot of before a verdict is asked after it")
def test_the_remembered_label_set_is_always_that_of_now():
    def same() -> bool:
        with read() as session:
            return labels_now(session) == current_label_set(session)

    assert same()
    store(paper(pmid="1"), paper(pmid="2"))
    judge("Anna", 2, verdict(0), verdict(1, "reject"))
    assert same()
    judge("Anna", 1, verdict(2), reading())
    assert same()
    judge("Anna", 2, verdict(0, "withdrawn"), verdict(1, "withdrawn"))
    judge("Ben", 1, verdict(2, "reject"))
    assert same()
    judge("Ben", 1, reading(), reading(False))
    assert same()
    store(paper(pmid="3"))
    assert same()
    with read() as before:
        current_label_set(before)  # a snapshot of now
        judge("Anna", 2, verdict(0))
        assert same()
        assert labels_now(before) == current_label_set(before)
    assert same()


def test_only_articles_with_new_verdicts_are_read_again(monkeypatch):
    store(paper(pmid="1"), paper(pmid="2"))
    judge("Anna", 1, verdict(0))
    asked: list[object] = []
    real = db.gold.verdict_rows
    monkeypatch.setattr(
        db.gold, "verdict_rows", lambda session, **how: asked.append(how["article_ids"]) or real(session, **how)
    )
    for events in ((), (), (verdict(1),), ()):
        if events:
            judge("Anna", 2, *events)
        with read() as session:
            labels_now(session)
    assert asked == [None, {2}]


@pytest.mark.parametrize(
    ("values", "decision", "of_majority", "of_adjudicated"),
    [
        (["accept"], None, "1", None),
        (["accept", "accept"], None, "1", "1"),
        (["reject", "reject", "reject"], None, "0", "0"),
        (["accept", "accept", "reject"], None, "1", None),
        (["accept", "reject"], None, "disputed", None),
        (["accept", "accept", "unsure"], None, "1", None),
        (["unsure", "unsure"], None, "unsure", None),
        (["accept", "accept"], "reject", "0", "0"),
        (["accept", "reject"], "unsure", "unsure", "unsure"),
        (["reject"], "accept", "1", "1"),
        ([], "accept", "1", "1"),
    ],
)
def test_each_rule_makes_its_label(values, decision, of_majority, of_adjudicated):
    assert Rule.MAJORITY.label(values, decision) == of_majority
    assert Rule.ADJUDICATED.label(values, decision) == of_adjudicated


def test_the_rule_single_is_the_word_of_the_one():
    assert [Rule.SINGLE.label(values, None) for values in (["accept"], ["reject"], ["unsure"], [])] == [
        "1",
        "0",
        "unsure",
        None,
    ]


@pytest.mark.parametrize("rule", list(Rule))
def test_every_rule_gives_a_known_label_or_none_and_says_in_words_what_it_does(rule):
    said = [[], ["accept"], ["reject"], ["unsure"], ["accept", "reject"], ["accept", "accept"]]
    labels = {rule.label(values, None) for values in said if values or rule is not Rule.MAJORITY}
    assert labels <= {*LABEL_NAMES.values(), DISPUTED, None} and "1" in labels
    assert Rule(str(rule)) is rule and rule.words.endswith(".")


def decide(value: str, position: int, by: str = "Carla") -> None:
    seen, sentence_id = query("SELECT max(id), max(sentence_id) FROM verdict WHERE sentence_id = :s", s=position + 1)[0]
    adjudicate(by, 1, sentence_id, value, seen=seen, event_id=f"decision-{seen}")


def test_a_decision_is_the_label_and_says_whose_it_is():
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(1, "accept", shown={"rank": 4}))
    judge("Ben", 1, verdict(1, "accept"))
    decide("reject", 1)
    (row,) = rows()
    assert (row["label"], row["decided_by"], row["verdicts"]) == ("0", "Carla", "Anna: accept; Ben: accept")
    assert (row["annotators"], row["edit"]) == ("Anna; Ben", "")
    assert label_set().labels == {1: {1: 0}}
    decide("withdrawn", 1)
    assert [(row["label"], row["decided_by"]) for row in rows()] == [("1", "")]


def decided_file(path) -> None:
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(0), verdict(1, "accept", time=0))
    judge("Ben", 1, verdict(1, "reject", time=60))
    decide("accept", 1)
    export(path)


@pytest.mark.parametrize("ending", FORMATS)
def test_an_export_is_imported_as_what_it_was_with_decisions_as_decisions(tmp_path, home, monkeypatch, ending):
    decided_file(tmp_path / f"gold{ending}")
    before = rows()
    monkeypatch.setenv("KEYLINE_HOME", str(home) + "-other")
    store(paper(pmid="1"))
    for _ in range(2):  # the second time nothing is news
        import_gold(tmp_path / f"gold{ending}")
        said = "SELECT n.name, v.sentence_id, v.value, v.role FROM verdict v JOIN annotator n ON n.id = v.annotator_id"
        assert sorted(query(said)) == [
            ("Anna", 1, "accept", "annotator"),
            ("Anna", 2, "accept", "annotator"),
            ("Ben", 2, "reject", "annotator"),
            ("Carla", 2, "accept", "adjudicator"),
        ]
    assert [(row["label"], row["verdicts"], row["decided_by"]) for row in rows()] == [
        (row["label"], row["verdicts"], row["decided_by"]) for row in before
    ]


def test_importing_an_export_where_it_came_from_changes_nothing(tmp_path):
    decided_file(tmp_path / "gold.csv")
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53", "HeLa", "KO"))
    export(tmp_path / "gold.csv")
    before = rows(), query("SELECT count(*) FROM verdict")
    assert import_gold(tmp_path / "gold.csv").verdicts == 0
    assert (rows(), query("SELECT count(*) FROM verdict")) == before


def test_a_later_decision_outlives_an_older_file(tmp_path):
    decided_file(tmp_path / "gold.csv")
    decide("reject", 1, by="Dora")
    import_gold(tmp_path / "gold.csv")
    assert [(row["label"], row["decided_by"]) for row in rows()] == [("1", ""), ("0", "Dora")]


def test_a_file_without_the_column_is_still_read(tmp_path):
    decided_file(tmp_path / "gold.csv")
    lines = list(csv.reader((tmp_path / "gold.csv").open(newline="")))
    with (tmp_path / "old.csv").open("w", newline="") as file:
        csv.writer(file).writerows(line[:23] for line in lines)
    assert lines[0][23:28] == ["decided_by", "gene_identifiers", "cell_identifiers", "role", "function"]
    assert import_gold(tmp_path / "old.csv").verdicts == 0


def test_a_file_is_no_side_door_to_deciding(tmp_path, other_home, monkeypatch):
    decided_file(tmp_path / "gold.csv")
    other_home()
    store(paper(pmid="1"))

    def refuse(session, right):
        raise Forbidden(str(right))

    monkeypatch.setattr(annotate.gold.import_file, "demand", refuse)
    with pytest.raises(Forbidden, match="decide disputed sentences"):
        import_gold(tmp_path / "gold.csv")
    assert query("SELECT count(*) FROM verdict") == [(0,)]


@pytest.mark.postgresql
def test_two_who_ask_at_once_wait_for_one_reading(monkeypatch):
    store(paper(("One.", "Two."), pmid="1"))
    judge("Anna", 1, verdict(0))
    read_whole, begun, go_on = annotate.gold.label_sets.judged, threading.Event(), threading.Event()
    calls: list[object] = []

    def slowly(*given, **more):
        calls.append(given)
        begun.set()
        assert go_on.wait(60)
        return read_whole(*given, **more)

    def ask() -> None:
        with read() as session:
            found.append(labels_now(session).sha256)

    found: list[str] = []
    annotate.gold.label_sets._gold.forget()
    monkeypatch.setattr(annotate.gold.label_sets, "judged", slowly)
    askers = [threading.Thread(target=ask) for _ in range(3)]
    for asker in askers:
        asker.start()
    assert begun.wait(60)
    go_on.set()
    for asker in askers:
        asker.join(60)
    assert (len(calls), len(found), len(set(found))) == (1, 3, 1)
