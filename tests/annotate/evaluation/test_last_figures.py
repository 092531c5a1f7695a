"""The last figures of a version: those of the labels of now, else the ones before with what came since."""

import pytest

import db.evaluation
from annotate.evaluation.evaluate_version import evaluate
from annotate.evaluation.last_figures import Figures, last_figures
from annotate.gold.label_sets import labels_now
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.topics.project_topic import use_topic
from db.tables import Evaluation
from model.proposing.ranking import Ranking
from tests.support.making import (
    judge,
    paper,
    pmids,
    propose_with,
    reading,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES, SMALL

TEST, TRAIN = 1, 2


@pytest.fixture
def version(home):
    """A version with cosines of one test and one train article, each of which has a key sentence."""
    store(*(paper(pmid=pmids(split, 1)[0]) for split in ("test", "train")))
    made = version_without_weights("tiny")
    propose_with(made)
    for article_id in (TEST, TRAIN):
        store_cosines(made, article_id, GENERIC_QUERIES[BEST_GENERIC], [0.1, 0.9, 0.2])
        judge("Anna", article_id, verdict(1))
    return made


def last(version, split: str = "test") -> Figures | None:
    with read() as session:
        found = last_figures(session, [(version, Ranking.COSINE)], split, labels_now(session))
    return found.get((version.name, Ranking.COSINE))


def test_a_version_that_was_never_measured_has_none(version):
    assert last(version) is None


def test_figures_of_the_labels_of_now_are_not_old(version):
    evaluate(version, Ranking.COSINE, "test")
    found = last(version)
    assert found and (found.old, found.since, found.evaluation.metrics["arp"]) == (False, "", 1.0)


def test_figures_of_earlier_labels_stay_and_count_the_verdicts_on_articles_of_their_split(version):
    evaluate(version, Ranking.COSINE, "test")
    judge("Anna", TRAIN, verdict(0, "reject"), verdict(2, "reject"))
    found = last(version)
    assert found and not found.old  # no label of the test articles changed
    judge("Anna", TEST, verdict(0), verdict(2, "reject"))
    judge("Ben", TEST, verdict(2, "reject"), reading())
    found = last(version)
    assert found and (found.old, found.since, found.evaluation.metrics["arp"]) == (True, "3 verdicts since", 1.0)
    evaluate(version, Ranking.COSINE, "test")
    found = last(version)
    assert found and (found.old, found.evaluation.metrics["arp"]) == (False, 0.5)


def test_figures_of_another_topic_are_old(version):
    evaluate(version, Ranking.COSINE, "test")
    use_topic(SMALL, by="Anna")
    found = last(version)
    assert found and (found.old, found.since) == (True, "labels or topic changed since")


def test_figures_from_before_a_further_sentence_was_judged_are_old(version):
    evaluate(version, Ranking.COSINE, "test")
    judge("Anna", TEST, verdict(0, "unsure"))
    found = last(version)
    assert found and (found.old, found.since) == (True, "1 verdict since")


def test_figures_of_all_articles_count_all_verdicts(version):
    evaluate(version, Ranking.COSINE, "all")
    judge("Anna", TRAIN, verdict(0, "reject"))
    judge("Anna", TEST, verdict(0, "reject"))
    found = last(version, "all")
    assert found and found.since == "2 verdicts since"


def test_labels_that_are_again_what_they_were_make_the_figures_those_of_now(version):
    evaluate(version, Ranking.COSINE, "test")
    judge("Anna", TEST, verdict(0))
    judge("Anna", TEST, verdict(0, "withdrawn"))
    found = last(version)
    assert found and not found.old


@pytest.mark.postgresql
def test_of_an_earlier_release_the_time_stands_in_for_the_last_verdict_known(version):
    evaluation_id, _ = evaluate(version, Ranking.COSINE, "test")
    with write(Right.SYSTEM) as session:
        row = session.get(Evaluation, evaluation_id)
        row.metrics = {name: value for name, value in row.metrics.items() if name != "until_verdict"}
        row.created_at = "2999-01-01T00:00:00.000Z"
    judge("Anna", TEST, verdict(0))
    found = last(version)
    assert found and found.since == "labels or topic changed since"
    with write(Right.SYSTEM) as session:
        session.get(Evaluation, evaluation_id).created_at = "2000-01-01T00:00:00.000Z"
    found = last(version)
    assert found and found.since == "2 verdicts since"
    with read() as session:
        assert db.evaluation.latest_evaluation(session, version.id, Ranking.COSINE, "test") is not None
