"""The report of a version against numbers computed by hand, when it is out of date, and that it can be stopped."""

import json
import secrets

import pytest

import db.rows
from annotate.evaluation import audit
from annotate.evaluation.evaluate_version import NotEnoughGold
from annotate.evaluation.report import stale
from annotate.gold.label_sets import current_label_set
from annotate.jobs import lifecycle
from annotate.jobs.lifecycle import run_here
from annotate.jobs.monitor import Cancelled
from annotate.project.home import look_up, read, write
from annotate.project.rights import Right
from annotate.topics.project_topic import current_topic, use_topic
from annotate.work import HANDLERS
from db.tables import Job, Report
from tests.support.labels import gene_labels, set_labels
from tests.support.making import judge, paper, pmids, propose_with, query, store, store_cosines, verdict
from tests.support.making import version_without_weights as version_named
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES, SMALL

GENERIC = GENERIC_QUERIES[BEST_GENERIC]


def make(name: str | None = None, split: str = "test") -> Report:
    """Runs the job and returns the stored report."""
    made = run_here("report", {"version": name, "ranking": "cosine", "split": split}, HANDLERS, lambda progress: None)
    with read() as session:
        found = db.rows.get(session, Report, made["report"])
    assert found is not None
    return found


def say(article_id: int, position: int, value: str) -> None:
    """Audits a sentence."""
    event = {"id": secrets.token_hex(16), "article": article_id, "sentence": position, "value": value}
    shown = {"version": "child", "ranking": "cosine", "rank": 1, "cosine": 0.75}
    assert audit.record("Anna", [event | shown])[1] == []


@pytest.fixture
def versions(home):
    """Two test articles with key sentences and one of train; a root version and its child.

    By cosine the child ranks the sentences of the first 0, 1, 2 (key: 0 and 2), of the second 1, 2, 0 (key: 1); the
    root 2, 1, 0 and 0, 2, 1. The key sentence of the training article is orthogonal to the root's query.
    """
    store(*(paper(pmid=pmid) for pmid in (*pmids("test", 2), *pmids("train", 1))))
    root = version_named("root")
    child = version_named("child", parent_id=root.id)
    propose_with(child)
    store_cosines(child, 1, GENERIC, (0.875, 0.75, 0.125))
    store_cosines(child, 2, GENERIC, (0.125, 0.875, 0.25))
    store_cosines(root, 1, GENERIC, (0.125, 0.75, 0.875))
    store_cosines(root, 2, GENERIC, (0.875, 0.125, 0.25))
    store_cosines(root, 3, GENERIC, (0.0, 1.0, 1.0))
    judge("Anna", 1, verdict(0), verdict(1, "reject"), verdict(2))
    judge("Anna", 2, verdict(1))
    judge("Anna", 3, verdict(0))
    return root, child


def test_the_numbers_stand_beside_those_of_the_parent(versions):
    content = make().content
    assert (content["version"], content["parent"]) == ("child", "root")
    assert content["metrics"]["r_precision"]["mean"] == 0.75
    assert content["metrics"]["average_precision"]["mean"] == pytest.approx(((1 + 2 / 3) / 2 + 1) / 2)
    assert content["metrics"]["precision_at_3"]["mean"] == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert content["parent_metrics"]["r_precision"]["mean"] == 0.25
    # the difference is 0 for one article and 1 for the other
    assert content["difference"]["r_precision"] == {"mean": 0.5, "low": 0.0, "high": 1.0}
    counts = {name: content["metrics"][name] for name in ("articles", "sentences", "key_sentences")}
    assert counts == {"articles": 2, "sentences": 6, "key_sentences": 3}
    assert content["articles"] == {
        "id": [1, 2],
        "sentences": [3, 3],
        "key": [2, 1],
        "r_precision": [0.5, 1.0],
        "parent": [0.5, 0.0],
        "audit": [0.5, 1.0],
    }
    assert content["mean_key"] is None  # for versions that were not fine-tuned
    assert content["unjudged_share"] == pytest.approx(2 / 6)  # two of the second article's three


def test_a_version_that_was_not_fine_tuned_is_scored_against_the_mean_key_sentence_too(versions):
    content = make("root").content
    assert content["metrics"]["r_precision"]["mean"] == 0.25
    # the order is reversed: 0, 1, 2 in the first article and 1, 2, 0 in the second
    assert content["mean_key"]["r_precision"]["mean"] == 0.75
    assert (content["parent"], content["parent_metrics"], content["difference"]) == (None, None, None)


@pytest.mark.postgresql
def test_without_a_key_sentence_to_train_on_there_is_no_mean(versions):
    judge("Anna", 3, verdict(0, "reject"))
    assert make("root").content["mean_key"] is None


def test_predictions_are_kept_by_place_without_their_text(versions):
    report = make()
    table = report.content["predictions"]
    rows = list(zip(table["article"], table["position"], table["rank"], table["outcome"], strict=True))
    assert rows == [
        (1, 0, 1, "true"),
        (1, 1, 2, "not audited"),
        (1, 2, 3, "missed key sentence"),
        (2, 1, 1, "true"),
    ]
    assert table["decile"] == [0, 3, 6, 3]
    assert "deleted TP53" not in json.dumps(report.content)
    part = {place["name"]: place for place in report.content["places"]["part"]}
    assert part["abstract"] == {"name": "abstract", "sentences": 6, "key": 3, "predicted": 3, "true": 2}
    assert sum(place["key"] for place in report.content["places"]["decile"]) == 3


def test_the_audit_moves_predictions_to_their_outcome_and_correct_ones_to_the_key_sentences(versions):
    before = {row["outcome"]: row for row in make().content["confidence"]}
    assert (before["true"]["n"], before["true"]["mean"]) == (2, pytest.approx(0.875, abs=1e-3))
    assert (before["not audited"]["n"], before["correct after the audit"]["n"]) == (1, 0)
    say(1, 1, "correct")
    content = make().content
    after = {row["outcome"]: row for row in content["confidence"]}
    assert (after["not audited"]["n"], after["correct after the audit"]["mean"]) == (0, pytest.approx(0.75, abs=1e-3))
    assert content["audited"] == {"correct": 1, "inconclusive": 0, "wrong": 0}
    assert content["metrics"]["r_precision"]["mean"] == 0.75
    assert content["audit_metrics"]["r_precision"]["mean"] == 1.0  # now all three sentences are key
    assert content["audit_metrics"]["key_sentences"] == 4


def test_the_cut_off_of_the_best_f1_is_known(versions):
    bins = make().content["histogram"]
    best = bins["best"]
    # at over 0.75: two key sentences, none other: F1 = 2 * 2 / (2 + 3)
    assert (bins["key_over"][best], bins["sentences_over"][best]) == (2, 2)
    assert 0.75 < bins["thresholds"][best] <= 0.77
    assert sum(bins["key"]) == 3 and sum(bins["other"]) == 3


def test_a_report_is_out_of_date_once_labels_or_audit_change(versions):
    report = make()

    def changed() -> list[str]:
        with read() as session:
            return stale(session, report, current_label_set(session))

    assert changed() == []
    judge("Anna", 3, verdict(1))  # an article of train: not of this split
    assert changed() == []
    say(1, 1, "wrong")
    assert changed() == ["audit"]
    judge("Anna", 2, verdict(0))
    assert changed() == ["labels", "audit"]
    report = make()
    assert changed() == []


def test_a_report_is_out_of_date_while_another_topic_holds_and_once_document_labels_change(versions):
    report, shipped = make(), current_topic().text

    def changed() -> list[str]:
        with read() as session:
            return stale(session, report, current_label_set(session))

    use_topic(SMALL, by="Anna")
    assert changed() == ["topic"]
    use_topic(shipped, by="Anna")
    assert changed() == []
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53", "HeLa", "KO"))
    assert changed() == ["topic"]


def test_the_same_labels_give_the_same_report(versions):
    assert make().content == make().content
    assert query("SELECT count(*) FROM report") == [(2,)]


def test_without_gold_or_with_an_unknown_version_nothing_is_stored(versions):
    with pytest.raises(NotEnoughGold, match="validation split"):
        make(split="validation")
    with pytest.raises(ValueError, match="no version 'other'"):
        make("other")
    assert query("SELECT count(*) FROM report") == [(0,)]


def test_the_learned_ranking_is_reported_on_the_test_split_alone(versions):
    for split in ("train", "validation", "all"):
        with pytest.raises(ValueError, match=f"fitted on {split} articles"):
            run_here("report", {"ranking": "learned", "split": split}, HANDLERS, lambda progress: None)


def test_a_cancelled_report_leaves_no_row(versions):
    def cancel(progress):
        if progress["stage"].startswith("ranking"):
            lifecycle.cancel(look_up(db.rows.find, Job, kind="report").id)

    with pytest.raises(Cancelled):
        run_here("report", {"version": "child"}, HANDLERS, cancel)
    assert query("SELECT count(*) FROM report") == [(0,)]


def test_a_report_embeds_what_is_missing_and_maps_the_sentences(tiny_home):
    words = [f"The gene {n} was edited in cells." for n in "12345"]
    store(*(paper(words, words, pmid=pmid) for pmid in pmids("test", 2)))
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53", "HeLa", "KO"))
    for article_id in (1, 2):
        judge("Anna", article_id, verdict(0), verdict(7))
    content = make().content
    projection = content["projection"]
    assert (len(projection["article"]), sum(projection["key"]), projection["all_key"]) == (20, 4, 4)
    (panel,) = projection["panels"]
    assert (panel["version"], len(panel["x"]), len(panel["query_x"])) == ("tiny", 20, 2)
    assert [place["sentences"] for place in content["places"]["part"]] == [10, 0, 0, 10, 0, 0]
    assert content["vocabulary"][0]["versions"] == ["tiny"]
    assert content["vocabulary"][0]["rows"][0]["one_token"] == 1
