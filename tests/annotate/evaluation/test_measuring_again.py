"""Versions measured again by themselves: once labels changed, while nobody is at work, one job at a time."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

import db.jobs
import db.rows
from annotate.articles.document_labels import Labels
from annotate.evaluation import measuring_again
from annotate.evaluation.evaluate_version import evaluate
from annotate.evaluation.measuring_again import PAUSE, QUIET, MeasuringSettings, due, tick
from annotate.gold.label_sets import labels_now
from annotate.jobs import lifecycle, repeating
from annotate.jobs.lifecycle import run
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.proposing.comparison import compare
from annotate.proposing.queries import queries_of
from annotate.topics.file import shipped
from annotate.topics.project_topic import current_topic, topic_now, use_topic
from annotate.work import HANDLERS
from db.tables import Ranker
from model.active_learning.features import FEATURES
from model.proposing.ranking import Ranking
from tests.annotate.evaluation.test_last_figures import TEST, TRAIN, last, version
from tests.support.labels import gene_labels, set_labels
from tests.support.making import judge, propose_with, query, store_cosines, verdict, version_without_weights
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES, RULES
from tests.support.waiting import wait_until

__all__ = ["version"]


@pytest.fixture(autouse=True)
def nobody_clicks(monkeypatch):
    """Nobody has clicked for long; jobs are queued, and none is run."""
    monkeypatch.setattr(measuring_again, "quiet_seconds", QUIET.total_seconds)
    monkeypatch.setattr(lifecycle, "start", lifecycle.enqueue)
    monkeypatch.setattr(lifecycle, "reap", lambda: None)


def later(**by) -> datetime:
    return datetime.now(UTC) + (timedelta(**by) if by else QUIET + timedelta(seconds=1))


def end(job_id: int, state: str = "done") -> None:
    with write(Right.SYSTEM) as session:
        assert db.jobs.finish(session, job_id, state)


def test_what_was_measured_is_measured_again_once_labels_changed(version):
    assert due(later()) is None  # never measured: nobody wants it
    evaluate(version, Ranking.COSINE, "test")
    evaluate(version, Ranking.HYBRID, "test")
    assert due(later()) is None
    judge("Anna", TRAIN, verdict(0, "reject"))
    assert due(later()) is None  # nothing that these figures are of
    judge("Anna", TEST, verdict(0), verdict(2, "reject"))
    asked = due(later())
    assert asked is not None and asked["automatic"] == "2 verdicts since"
    assert (asked["versions"], sorted(asked["rankings"]), asked["split"]) == (["tiny"], ["cosine", "hybrid"], "test")


def test_a_sentence_judged_as_unsure_counts_too_since_no_version_is_promoted_on_figures_from_before(version):
    evaluate(version, Ranking.HYBRID, "test")
    judge("Anna", TEST, verdict(0, "unsure"))
    asked = due(later())
    assert asked is not None and asked["automatic"] == "1 verdict since"


def test_every_version_is_measured_on_the_sentences_that_are_judged_now(version):
    newer = version_without_weights("newer", parent_id=version.id)
    store_cosines(newer, TEST, GENERIC_QUERIES[BEST_GENERIC], [0.1, 0.9, 0.2])
    propose_with(newer)
    evaluate(version, Ranking.COSINE, "test")
    judge("Anna", TEST, verdict(0, "unsure"))
    evaluate(newer, Ranking.COSINE, "test")
    assert due(later()) is not None
    evaluate(version, Ranking.COSINE, "test")
    assert due(later()) is None


def test_the_version_that_proposes_comes_first(version):
    newer = version_without_weights("newer", parent_id=version.id)
    store_cosines(newer, TEST, GENERIC_QUERIES[BEST_GENERIC], [0.1, 0.9, 0.2])
    propose_with(newer)
    for each in (version, newer):
        evaluate(each, Ranking.COSINE, "test")
    judge("Anna", TEST, verdict(0))
    asked = due(later())
    assert asked is not None and asked["versions"] == ["newer", "tiny"]


def test_nothing_begins_while_people_are_at_work(version, monkeypatch):
    evaluate(version, Ranking.COSINE, "test")
    judge("Anna", TEST, verdict(0))
    assert due(datetime.now(UTC)) is None  # a verdict came just now, perhaps by another process
    monkeypatch.setattr(measuring_again, "quiet_seconds", lambda: QUIET.total_seconds() - 1)
    assert due(later()) is None
    monkeypatch.setattr(measuring_again, "quiet_seconds", repeating.quiet_seconds)
    repeating.note_click()
    assert due(later()) is None and repeating.quiet_seconds() < 60


def test_nothing_begins_while_any_job_runs_and_one_begins_once(version):
    evaluate(version, Ranking.COSINE, "test")
    judge("Anna", TEST, verdict(0))
    with write(Right.SYSTEM) as session:
        other = db.jobs.insert_job(session, "import", {})
    assert other is not None and tick(later()) is None
    end(other)
    assert tick(later()) is not None
    assert tick(later()) is None  # it runs
    assert query("SELECT kind, count(*) FROM job GROUP BY kind ORDER BY kind") == [("evaluate", 1), ("import", 1)]


def test_it_can_be_switched_off(version):
    evaluate(version, Ranking.COSINE, "test")
    judge("Anna", TEST, verdict(0))
    change_settings("Mats", MeasuringSettings(by_itself=False))
    assert due(later()) is None
    change_settings("Mats", MeasuringSettings())
    assert due(later()) is not None


def test_one_does_not_follow_another_before_a_pause(version):
    evaluate(version, Ranking.COSINE, "test")
    judge("Anna", TEST, verdict(0))
    first = tick(later())
    assert first is not None
    end(first)
    assert due(later()) is None
    assert due(datetime.now(UTC) + PAUSE + timedelta(seconds=1)) is not None


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_after_one_that_did_not_end_well_a_verdict_must_come_first(version, state):
    evaluate(version, Ranking.COSINE, "test")
    judge("Anna", TEST, verdict(0))
    first = tick(later())
    assert first is not None
    end(first, state)
    after = datetime.now(UTC) + PAUSE + QUIET
    assert due(after) is None
    judge("Ben", TEST, verdict(2))
    assert due(after) is not None


def test_the_job_makes_the_figures_those_of_now(version):
    evaluate(version, Ranking.COSINE, "test")
    judge("Anna", TEST, verdict(0))
    found = last(version)
    assert found and found.old
    job_id = tick(later())
    assert job_id is not None
    run(job_id, HANDLERS)
    found = last(version)
    assert found and (found.old, found.evaluation.metrics["arp"]) == (False, 0.5)
    assert due(datetime.now(UTC) + PAUSE + QUIET) is None


def test_the_running_app_looks_by_itself(version, monkeypatch):
    monkeypatch.setattr(measuring_again, "QUIET", timedelta(0))
    evaluate(version, Ranking.COSINE, "test")
    judge("Anna", TEST, verdict(0))
    with repeating.repeating("measuring", 0.05, tick):
        wait_until(lambda: query("SELECT kind FROM job") == [("evaluate",)])
    assert query("SELECT asked_by FROM job") == [("Keyline",)]


def test_a_ranking_that_is_not_earned_any_more_is_not_measured_for_ever(version):
    evaluate(version, Ranking.HYBRID, "test")
    learned = {"weights": dict.fromkeys(FEATURES, 1.0), "intercept": 0.0, "terms": {}}
    earned = {"earned": True, "rules": RULES.name, "article_ids": []}
    with write(Right.SYSTEM) as session:
        row = Ranker(version_id=version.id, label_set_sha256="a" * 64, weights=learned, metrics=earned)
        db.rows.add(session, row)
    evaluate(version, Ranking.LEARNED, "test")
    judge("Anna", TEST, verdict(0))  # the last verdict; what is fitted on it earns nothing
    now, begun = datetime.now(UTC) + QUIET, 0
    for _ in range(3):
        now += PAUSE + timedelta(minutes=1)
        if (job := tick(now)) is not None:
            run(job, HANDLERS)
            begun += 1
    assert begun == 1


def test_another_topic_is_a_reason_and_figures_under_two_topics_are_not_compared(version):
    newer = version_without_weights("newer", parent_id=version.id)
    evaluate(version, Ranking.HYBRID, "test")
    topic = current_topic().text
    use_topic(shipped("blank").text, by="Anna")
    assert due(later()) is not None
    for each in (version, newer):
        with read() as session:
            (asked,) = queries_of(topic_now(session).rules, each, Labels())
        store_cosines(each, TEST, asked, [0.1, 0.9, 0.2])
    evaluate(newer, Ranking.HYBRID, "test")
    with read() as session:
        compared = partial(compare, session, newer.id, labels_now(session).split_sha256["test"], Ranking.HYBRID)
        assert compared().direction is None
    evaluate(version, Ranking.HYBRID, "test")
    assert due(later()) is None
    with read() as session:
        assert compare(session, newer.id, labels_now(session).split_sha256["test"], Ranking.HYBRID).articles == 1
    use_topic(topic, by="Anna")
    assert due(later()) is not None


def test_other_document_labels_are_a_reason(version):
    evaluate(version, Ranking.HYBRID, "test")
    with write(Right.SYSTEM) as session:
        set_labels(session, TEST, gene_labels("TP53", "HeLa", "KO"))
    assert due(later()) is not None
