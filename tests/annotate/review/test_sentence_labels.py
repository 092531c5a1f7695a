"""What a key sentence names: prefilled from its article's labels, corrected by the expert, kept with the verdict."""

import secrets
from typing import Any

import pytest

from annotate.articles.document_labels import store_labels
from annotate.gold.label_sets import judged
from annotate.gold.rows import names_in, rows_of
from annotate.project.home import read
from annotate.review.article_view import reading_view
from annotate.review.sentence_labels import named_in
from annotate.review.verdicts import record, undo
from annotate.team.adjudication import adjudicate, disputed_articles
from annotate.topics.file import shipped
from annotate.topics.project_topic import topic_now, use_topic
from db.review.progress import count_verdicts
from db.team.agreement import last_verdicts
from tests.support.labels import gene_labels
from tests.support.making import judge, paper, query, store, verdict

pytestmark = pytest.mark.usefixtures("home")
GIVEN = {"gene": "TP53; MDM2", "cell": "", "edit": "KI"}


@pytest.fixture(autouse=True)
def article(home) -> int:
    """An article whose second sentence names its gene, by a synonym, and its cell."""
    store(paper(("The gene is known.", "Here we deleted p53 in HeLa cells.", "MDM2 was measured."), pmid="1"))
    store_labels(1, gene_labels("TP53|p53", "HeLa", "KO"))
    return 1


def labels(position: int, value: Any, **more: Any) -> dict[str, Any]:
    return {"id": secrets.token_hex(16), "kind": "labels", "sentence": position, "value": value, **more}


def refusal(event: dict[str, Any], annotator: str = "Anna") -> str:
    stored, refused = record(annotator, 1, [event])
    assert stored == []
    return str(refused[0]["reason"])


def exported() -> dict[int, tuple[str, str, str]]:
    with read() as session:
        return {row["sentence_index"]: tuple(names_in(row).values()) for row in rows_of(session, judged(session))}


def test_a_sentence_names_labels_of_its_article_by_synonyms_too():
    with read() as session:
        rules = topic_now(session).rules
    given = gene_labels("TP53|p53; MDM2", "HeLa", "KO")
    assert named_in("Here we deleted p53 in HeLa cells.", given, rules) == {
        "gene": "TP53",
        "cell": "HeLa",
        "edit": "KO",
    }
    assert named_in("MDM2 was measured.", given, rules) == {"gene": "MDM2", "edit": "KO"}
    assert named_in("The gene is known.", given, rules) == {}


def test_the_page_shows_what_sentences_name_and_what_this_expert_corrected():
    judge("Anna", 1, verdict(1), labels(1, GIVEN))
    view = reading_view(1, "Anna")
    assert view["labels_named"] == {"1": {"gene": "TP53", "cell": "HeLa", "edit": "KO"}}
    assert view["state"]["labels"] == {"1": {"gene": "TP53;MDM2", "edit": "KI"}}
    assert reading_view(1, "Ben")["state"]["labels"] == {}


def test_what_was_corrected_is_what_gold_says_and_null_goes_back():
    judge("Anna", 1, verdict(1))
    assert exported() == {1: ("TP53", "HeLa", "KO")}
    judge("Anna", 1, labels(1, GIVEN))
    assert exported() == {1: ("TP53;MDM2", "", "KI")}
    judge("Anna", 1, labels(1, None))
    assert exported() == {1: ("TP53", "HeLa", "KO")}


def test_labels_by_the_names_of_earlier_releases_are_taken():
    judge("Anna", 1, verdict(1), labels(1, {"genes": "MDM2", "cells": "HeLa", "edit": "KI"}))
    assert exported() == {1: ("MDM2", "HeLa", "KI")}


def test_what_was_given_under_another_topic_stays_and_is_not_shown():
    judge("Anna", 1, verdict(1), labels(1, GIVEN))
    use_topic(shipped("clinical_trial_findings").text, by="Anna")
    assert reading_view(1, "Anna")["state"]["labels"] == {}
    assert exported() == {1: ("", "", "")}
    judge("Anna", 1, labels(1, {"outcome": "growth"}))
    assert exported() == {1: ("", "", "growth")}
    judge("Anna", 1, labels(1, None))
    use_topic(shipped("gene_editing").text, by="Anna")
    assert exported() == {1: ("TP53;MDM2", "", "KI")}


def test_names_of_kinds_that_the_topic_no_longer_has_are_refused_and_lost_nowhere():
    judge("Anna", 1, verdict(1))
    use_topic(shipped("clinical_trial_findings").text, by="Anna")
    for given in (GIVEN, {"edit": "KI"}):
        stored, refused = record("Anna", 1, [labels(1, given)])
        assert not stored and "the topic has changed since; load the page again" in str(refused)
    use_topic(shipped("gene_editing").text, by="Anna")
    judge("Anna", 1, labels(1, GIVEN))
    assert exported() == {1: ("TP53;MDM2", "", "KI")}


def test_another_expert_s_verdict_after_it_does_not_hide_a_correction():
    judge("Anna", 1, verdict(1), labels(1, GIVEN))
    judge("Ben", 1, verdict(1))
    assert exported() == {1: ("TP53;MDM2", "", "KI")}


@pytest.mark.parametrize("between", [[], ["accept"], ["reject"], ["reject", "unsure"]])
def test_accepted_again_by_a_page_that_knows_of_no_correction_the_sentence_keeps_it(between):
    judge("Anna", 1, verdict(1), labels(1, GIVEN))
    judge("Ben", 1, verdict(1))
    judge("Anna", 1, *(verdict(1, value) for value in between), verdict(1))
    assert exported() == {1: ("TP53;MDM2", "", "KI")}
    assert query("SELECT labels FROM verdict v JOIN annotator a ON a.id = annotator_id WHERE name = 'Ben'") == [(None,)]


def test_a_correction_is_counted_as_no_new_verdict():
    judge("Anna", 1, verdict(1), verdict(2, "reject"), labels(1, GIVEN), labels(1, None), labels(1, GIVEN))
    judge("Ben", 1, verdict(1))
    with read() as session:
        assert count_verdicts(session) == 3
        assert [count_verdicts(session, after=last) for last in (1, 2, 5, 6)] == [2, 1, 1, 0]
    judge("Anna", 1, verdict(1), verdict(1, "reject"))
    with read() as session:
        assert count_verdicts(session, after=6) == 2


def test_a_correction_after_a_decision_says_nothing_against_it():
    judge("Anna", 1, verdict(1))
    judge("Ben", 1, verdict(1, "reject"))
    ((sentence,),) = query("SELECT id FROM sentence WHERE position = 1")
    with read() as session:
        seen = last_verdicts(session, 1)[sentence]
    adjudicate("Cora", 1, sentence, "reject", seen=seen, event_id=secrets.token_hex(16))
    for event, disputed in ((labels(1, GIVEN), []), (labels(1, None), []), (verdict(1), [(sentence,)])):
        judge("Anna", 1, event)
        with read() as session:
            assert [row.sentence_ids for row in disputed_articles(session)] == disputed


def test_what_went_back_to_the_article_s_labels_stays_there():
    judge("Anna", 1, verdict(1), labels(1, GIVEN), labels(1, None), verdict(1))
    assert exported() == {1: ("TP53", "HeLa", "KO")}


def test_a_correction_keeps_the_verdict_and_how_the_sentence_came_up():
    shown = {"rank": 2, "cosine": 0.5, "ranking": "hybrid", "model": "v1"}
    judge("Anna", 1, verdict(1, shown=shown), labels(1, GIVEN))
    rows = query("SELECT value, origin, rank, cosine, ranking, version FROM verdict ORDER BY id")
    assert rows == [("accept", "proposed", 2, 0.5, "hybrid", "v1")] * 2


def test_the_same_correction_sent_twice_is_stored_once_and_another_under_its_id_is_refused():
    event = labels(1, GIVEN)
    judge("Anna", 1, verdict(1), event)
    judge("Anna", 1, verdict(1, "reject"))
    assert record("Anna", 1, [event]) == ([event["id"]], [])
    assert query("SELECT count(*) FROM verdict") == [(3,)]
    assert "used for something else" in refusal(event | {"value": GIVEN | {"gene": "KRAS"}})
    assert exported() == {1: ("TP53", "HeLa", "")}


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (labels(2, GIVEN), "only a key sentence has names of its own"),
        (labels(1, GIVEN | {"edit": "XX"}), "edit 'XX' is none of"),
        (labels(1, GIVEN | {"gene": "g" * 101}), "longer than 100 characters"),
        (labels(1, GIVEN | {"gene": 5}), "labels are texts"),
        (labels(1, "TP53"), "labels are texts"),
        (labels(9, GIVEN), "the article has no sentence 9"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_the_reason(event, reason):
    judge("Anna", 1, verdict(1), verdict(2, "reject"))
    assert reason in refusal(event)
    assert query("SELECT count(*) FROM verdict") == [(2,)]


def test_nobody_labels_a_sentence_by_the_verdict_of_another():
    judge("Anna", 1, verdict(1))
    assert "only a key sentence" in refusal(labels(1, GIVEN), "Ben")


def test_undo_in_the_history_brings_the_labels_before_back():
    judge("Anna", 1, verdict(1), labels(1, GIVEN))
    ((latest,),) = query("SELECT max(id) FROM verdict")
    undo("Anna", latest, secrets.token_hex(16))
    assert exported() == {1: ("TP53", "HeLa", "KO")}
