"""The audit: its queue and numbers against those computed by hand, and nothing of it in the labels."""

import secrets

import pytest

from annotate.evaluation.audit import AuditOutcome, audit_rows, audited, audited_sha256, record, resolve, values_so_far
from annotate.evaluation.audit_queue import Outcomes, Queue, outcomes, queue
from annotate.evaluation.evaluate_version import NotEnoughGold, evaluate
from annotate.gold.export_file import as_csv
from annotate.gold.label_sets import current_label_set
from annotate.gold.rows import gold_columns, gold_rows, manifest
from annotate.project.home import read
from annotate.proposing.propose import NotEmbedded, rankings_of
from annotate.retraining.training_set import labelled_articles
from model.proposing.ranking import Ranking
from tests.support.making import (
    contents,
    judge,
    paper,
    pmids,
    propose_with,
    query,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES, TOPIC

GENERIC = GENERIC_QUERIES[BEST_GENERIC]
A, B = (1, 1), (2, 1)  # the errors: (article, sentence position)


@pytest.fixture
def version(home):
    """Two test articles, one of train. By cosine the first ranks its sentences 0, 1, 2 and the second 1, 2, 0.

    Key are sentences 0 and 2 of the first, whose second place is an error, and 0 of the second, whose first place is.
    """
    store(*(paper(pmid=pmid) for pmid in (*pmids("test", 2), *pmids("train", 1))))
    made = version_without_weights("tiny")
    propose_with(made)
    store_cosines(made, 1, GENERIC, (0.875, 0.75, 0.125))
    store_cosines(made, 2, GENERIC, (0.125, 0.875, 0.25))
    judge("Anna", 1, verdict(0), verdict(1, "reject"), verdict(2))
    judge("Anna", 2, verdict(0))
    judge("Anna", 3, verdict(0), verdict(1, "reject"))
    return made


def said(where: tuple[int, int], value: object, **more: object) -> dict[str, object]:
    """An audit event of the page."""
    shown = {"version": "tiny", "ranking": "cosine", "rank": 1, "cosine": 0.75}
    return {"id": secrets.token_hex(16), "article": where[0], "sentence": where[1], "value": value, **shown, **more}


def say(annotator: str, where: tuple[int, int], value: str) -> None:
    """Records one and checks that it was stored."""
    event = said(where, value)
    assert record(annotator, [event]) == ([event["id"]], [])


def now(version) -> tuple[Queue, Outcomes]:
    with read() as session:
        label_set = current_label_set(session)
        made = queue(session, version, Ranking.COSINE, label_set)
        return made, outcomes(made, audited(session))


def found() -> dict[int, dict[int, str]]:
    with read() as session:
        return audited(session)


def test_the_queue_holds_the_predictions_counted_wrong_by_cosine(version):
    made, _ = now(version)
    assert [(*e.of.place, e.rank, e.cosine) for e in made.errors] == [
        (*B, 1, pytest.approx(0.875, abs=1e-3)),
        (*A, 2, pytest.approx(0.75, abs=1e-3)),
    ]
    first = made.errors[0].of
    assert first.sentence.text == "Here we deleted TP53 in HeLa cells."
    assert (first.before, first.after) == ("The gene is known.", "The assay was measured.")
    assert (first.sentence.section, first.title) == ("Abstract", f"Article {pmids('test', 2)[1]}")
    assert made.keys == {1: {0: "The gene is known.", 2: "The assay was measured."}, 2: {0: "The gene is known."}}


def test_context_stays_in_the_section(home):
    store(paper(("One is here.",), ("Two is here.", "Three is here."), pmid=pmids("test", 1)[0]))
    made = version_without_weights("tiny")
    store_cosines(made, 1, GENERIC, (0.0, 0.5, 0.25))
    judge("Anna", 1, verdict(0))
    error = now(made)[0].errors[0].of
    assert (error.before, error.sentence.text, error.after) == ("", "Two is here.", "Three is here.")


def test_arp_after_the_audit_counts_correct_sentences_as_key(version):
    # As labelled 1/2 and 0. With A the first article has R = 3 and all three key; with B the second has R = 2 and
    # one of its two best, 1 and 2, is key.
    assert (now(version)[1].arp, now(version)[1].arp_audited) == (0.25, 0.25)
    say("Anna", A, "correct")
    assert (now(version)[1].arp, now(version)[1].arp_audited) == (0.25, 0.5)
    say("Anna", B, "correct")
    assert now(version)[1].arp_audited == 0.75
    say("Anna", B, "wrong")
    numbers = now(version)[1]
    assert (numbers.arp_audited, numbers.articles, numbers.added) == (0.5, 2, 1)


def test_arp_as_labelled_is_that_of_the_evaluation(version):
    with read() as session:
        possible = rankings_of(session, version)
    assert len(possible) > 1
    for ranking in possible:
        with read() as session:
            made = queue(session, version, ranking, current_label_set(session))
        assert outcomes(made, {}).arp == pytest.approx(evaluate(version, ranking, "test")[1].metrics["arp"])


def test_the_confidence_table_has_the_mean_cosine_of_each_outcome(version):
    say("Anna", A, "inconclusive")
    rows = {row["outcome"]: (row["predictions"], row["cosine"]) for row in now(version)[1].rows}
    assert rows == {
        "true": (1, pytest.approx(0.875, abs=1e-3)),
        "correct after the audit": (0, None),
        "inconclusive": (1, pytest.approx(0.75, abs=1e-3)),
        "wrong": (0, None),
        "not audited": (1, pytest.approx(0.875, abs=1e-3)),
    }


def test_a_sentence_that_becomes_key_is_no_error_any_more(version):
    say("Anna", A, "wrong")
    judge("Anna", 1, verdict(1))
    assert found() == {}
    made, numbers = now(version)
    assert [(e.of.sentence.article_id, e.of.sentence.position) for e in made.errors] == [B]
    assert {row["outcome"]: row["predictions"] for row in numbers.rows}["wrong"] == 0
    with read() as session:
        (row,) = audit_rows(session, current_label_set(session))
    assert (row["outcome"], row["label"]) == ("wrong", 1)  # the file keeps it and says so
    judge("Anna", 1, verdict(1, "withdrawn"))
    assert found() == {1: {1: "wrong"}}


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        (["correct"], "correct"),
        (["correct", "wrong"], "inconclusive"),
        (["correct", "wrong", "correct"], "correct"),
        (["inconclusive", "wrong", "wrong"], "wrong"),
        (["correct", "inconclusive", "wrong"], "inconclusive"),
        (["correct", "correct", "wrong", "wrong", "inconclusive"], "inconclusive"),
    ],
)
def test_the_majority_decides_and_a_tie_is_inconclusive(values, outcome):
    assert resolve(values) == resolve(reversed(values)) == AuditOutcome(outcome)


def test_the_latest_of_each_annotator_counts_and_empty_withdraws(version):
    say("Anna", A, "wrong")
    say("Anna", A, "correct")
    assert found() == {1: {1: "correct"}}
    say("Ben", A, "wrong")
    assert found() == {1: {1: "inconclusive"}}
    with read() as session:
        assert list(values_so_far(session).values()) == [{"Anna": "correct", "Ben": "wrong"}]
    say("Anna", A, "")
    assert found() == {1: {1: "wrong"}}
    say("Ben", A, "")
    assert found() == {}
    assert query("SELECT count(*) FROM audit_verdict") == [(5,)]


@pytest.mark.postgresql
def test_an_event_is_stored_once(version):
    event = said(A, "correct")
    assert record("Anna", [event, event]) == ([event["id"]] * 2, [])
    assert record("Anna", [event]) == ([event["id"]], [])  # acknowledged again
    for other in (said(A, "wrong") | {"id": event["id"]}, said(B, "correct") | {"id": event["id"]}):
        assert record("Anna", [other])[0] == []
    assert record("Ben", [event])[0] == []
    assert query("SELECT count(*) FROM audit_verdict") == [(1,)]


def test_equal_audits_have_equal_hashes(version):
    with read() as session:
        empty = audited_sha256(session)
    say("Anna", A, "correct")
    with read() as session:
        one = audited_sha256(session)
    say("Ben", A, "correct")
    with read() as session:
        assert audited_sha256(session) == one != empty


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ("no event", "not an event"),
        (said(A, "correct", id="short"), "an id of 8 to 64"),
        (said(A, "right"), "the outcome is none of correct, inconclusive, wrong"),
        (said(A, None), "the outcome is none of"),
        (said((3, 1), "correct"), "article 3 is of the train split; only test articles are audited"),
        (said((9, 0), "correct"), "no article 9"),
        (said((1, 3), "correct"), "the article has no sentence 3"),
        (said((1, True), "correct"), "the sentence is not a number"),
        (said(A, "correct", version="v9"), "there is no version 'v9'"),
        (said(A, "correct", ranking="luck"), "the ranking is none of cosine, terms, hybrid"),
        (said(A, "correct", rank=None), "the rank is not a number"),
        (said(A, "correct", cosine=float("nan")), "the cosine is not from -1 to 1"),
    ],
    ids=range(12),
)
def test_what_cannot_be_stored_is_refused_and_hinders_nothing(version, event, reason):
    good = said(B, "wrong")
    stored, refused = record("Anna", [event, good])
    assert stored == [good["id"]]
    (refusal,) = refused
    assert reason in refusal["reason"]
    assert query("SELECT article_id, value FROM audit_verdict") == [(2, "wrong")]


def everything_a_model_could_learn_from() -> tuple:
    """The label set, the gold as exported with its manifest, and the articles of each split as training takes them."""
    with read() as session:
        label_set = current_label_set(session)
        rows = gold_rows(session)
        articles = [labelled_articles(session, label_set, split, None) for split in ("train", "validation", "test")]
        return label_set, as_csv(rows, gold_columns(TOPIC)), manifest(session, rows), articles


def test_an_audit_never_reaches_labels_gold_or_training(version):
    tables = ("verdict", "comment", "reading")
    before, rows = everything_a_model_could_learn_from(), contents(*tables)
    assert before[3][0]  # there is something to train on
    for where, value in ((A, "correct"), (B, "correct"), (A, "wrong"), (A, "correct")):
        say("Anna", where, value)
        say("Ben", where, value)
    assert found() == {1: {1: "correct"}, 2: {1: "correct"}}
    assert everything_a_model_could_learn_from() == before
    assert contents(*tables) == rows


def test_the_file_holds_every_audited_sentence_with_who_said_what(version):
    say("Anna", A, "correct")
    say("Ben", A, "wrong")
    with read() as session:
        (row,) = audit_rows(session, current_label_set(session))
    assert row["sentence"] == "Here we deleted TP53 in HeLa cells."
    assert (row["outcome"], row["audits"], row["label"]) == ("inconclusive", "Anna: correct; Ben: wrong", 0)
    assert (row["model_version"], row["ranking"], row["rank"], row["cosine"]) == ("tiny", "cosine", 1, 0.75)


def test_without_gold_or_embedding_there_is_no_queue(version):
    other = version_without_weights("other")
    with pytest.raises(NotEmbedded, match="other"):
        now(other)
    for article_id, positions in ((1, (0, 2)), (2, (0,))):
        judge("Anna", article_id, *(verdict(p, "withdrawn") for p in positions))
    with pytest.raises(NotEnoughGold, match="no article of the test split"):
        now(version)


def test_a_version_without_errors_has_an_empty_queue(version):
    judge("Anna", 1, verdict(1), verdict(2, "withdrawn"))
    judge("Anna", 2, verdict(0, "withdrawn"), verdict(1))
    made, numbers = now(version)
    assert (made.errors, numbers.arp, numbers.arp_audited) == ([], 1.0, 1.0)
    true = numbers.rows[0]
    assert (true["outcome"], true["cosine"]) == ("true", pytest.approx((0.875 + 0.75 + 0.875) / 3, abs=1e-3))
