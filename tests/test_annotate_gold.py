"""Gold: everybody's latest verdicts as one label a sentence, and a hash that knows no database."""

from itertools import permutations

import pytest

import db.articles
import db.gold
from annotate.gold import COLUMNS, current_label_set, gold_rows, labels_now, manifest
from annotate.gold_rules import resolve
from annotate.home import read, write
from annotate.labels import parse_labels, set_labels
from annotate.rights import Right
from tests.making import comment, judge, paper, reading, store, verdict

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
        set_labels(session, 1, parse_labels("TP53|p53; KRAS", "HeLa; A549", "KO"))
    shown = {"rank": 1, "cosine": 0.25, "ranking": "hybrid", "model": "tiny"}
    judge("Anna", 1, verdict(1, "accept", shown=shown, time=0), comment(1, "clear"))
    judge("Ben", 1, verdict(1, "accept", time=60), comment(1, "yes, α"), reading())
    judge("Chris", 1, verdict(1, "unsure", time=120))
    (row,) = rows()
    assert {name: getattr(row, name) for name in COLUMNS} == {
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
        "decided_by": "",
    }


def test_a_rejected_sentence_names_its_genes_but_no_edit():
    store(paper(pmid="1"))
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, parse_labels("TP53|p53", "", "KO"))
    judge("Anna", 1, verdict(1, "reject"), verdict(0, "accept"))
    assert [(row.label, row.genes, row.cells, row.edit) for row in rows()] == [("1", "", "", ""), ("0", "TP53", "", "")]


def test_rows_come_by_article_and_position_and_withdrawn_ones_do_not():
    store(paper(pmid="1"), paper(pmid="2"))
    judge("Anna", 2, verdict(2, "accept"), verdict(0, "reject"), verdict(1, "accept"))
    judge("Anna", 1, verdict(1, "unsure"), verdict(0, "accept"))
    judge("Anna", 2, verdict(1, "withdrawn"))
    assert [(row.pmid, row.sentence_index, row.label) for row in rows()] == [
        ("1", 0, "1"),
        ("1", 1, "unsure"),
        ("2", 0, "0"),
        ("2", 2, "1"),
    ]


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
    real = db.gold.said
    monkeypatch.setattr(
        db.gold, "said", lambda session, **how: asked.append(how["article_ids"]) or real(session, **how)
    )
    for events in ((), (), (verdict(1),), ()):
        if events:
            judge("Anna", 2, *events)
        with read() as session:
            labels_now(session)
    assert asked == [None, {2}]
