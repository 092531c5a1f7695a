"""Evaluation against numbers computed by hand, per split and label set."""

import numpy as np
import pytest

import annotate.evaluation.evaluate_version
import db.evaluation
from annotate.evaluation.evaluate_version import Measured, NotEnoughGold, evaluate, evaluated_articles, measured
from annotate.gold.label_sets import current_label_set
from annotate.project.home import read
from annotate.proposing.comparison import measured_as_now
from annotate.proposing.propose import NotEmbedded
from model.proposing.ranking import Ranking
from tests.support.making import (
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
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

GENERIC = GENERIC_QUERIES[BEST_GENERIC]


@pytest.fixture
def version(home):
    """Two test articles with key sentences, one without, one of validation.

    By cosine the first ranks its sentences 0, 1, 2 and the second 1, 2, 0.
    """
    test, validation = pmids("test", 3), pmids("validation", 1)
    store(*(paper(pmid=pmid) for pmid in (*test, *validation)))
    made = version_without_weights("tiny")
    propose_with(made)
    store_cosines(made, 1, GENERIC, (0.875, 0.75, 0.125))
    store_cosines(made, 2, GENERIC, (0.125, 0.875, 0.25))
    store_cosines(made, 4, GENERIC, (0.5, 0.25, 0.0))
    judge("Anna", 1, verdict(0), verdict(1, "reject"), verdict(2))  # key: 0 and 2
    judge("Anna", 2, verdict(1), verdict(0, "unsure"))  # key: 1
    judge("Anna", 3, verdict(0, "reject"))
    judge("Anna", 4, verdict(2))
    return made


@pytest.mark.postgresql
def test_the_metrics_of_two_articles_are_those_computed_by_hand(version):
    evaluation_id, scores = evaluate(version, Ranking.COSINE, "test")
    assert [(r["article_id"], r["r_precision"], r["key_sentences"]) for r in scores.articles] == [
        (1, 0.5, 2),
        (2, 1.0, 1),
    ]
    metrics = scores.metrics
    assert metrics["arp"] == 0.75
    assert metrics["mean_average_precision"] == pytest.approx(((1 + 2 / 3) / 2 + 1) / 2)
    assert metrics["precision_at_1"] == 1.0
    assert (metrics["recall_at_3"], metrics["recall_at_5"]) == (1.0, 1.0)
    squares = (1 / 8) ** 2 + (3 / 4) ** 2 + (7 / 8) ** 2 + (1 / 8) ** 2 + (1 / 8) ** 2 + (1 / 4) ** 2
    assert metrics["mse"] == pytest.approx(squares / 6, abs=1e-3)
    assert (metrics["articles"], metrics["key_sentences"], metrics["sentences"]) == (2, 3, 6)
    # the mean of two draws from 0.5 and 1 is 0.5 or 1 each a quarter of the time
    assert (metrics["arp_low"], metrics["arp_high"]) == (0.5, 1.0)
    assert sum(scores.histogram["key"]) == 3 and sum(scores.histogram["other"]) == 3
    found = dict(zip(scores.histogram["thresholds"], scores.histogram["found"], strict=True))
    prevalence = dict(zip(scores.histogram["thresholds"], scores.histogram["prevalence"], strict=True))
    assert (found[0.8], prevalence[0.8]) == (pytest.approx(2 / 3), 1.0)
    assert (found[0.5], prevalence[0.5]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert (found[0.9], prevalence[0.9]) == (0.0, None)
    with read() as session:
        stored = db.evaluation.latest_evaluation(session, version.id, "cosine", "test")
        values = stored.metrics["by_article"]
        assert (stored.id, stored.metrics) == (evaluation_id, {**metrics, "by_article": values})
        assert (values["article_id"], values["arp"]) == ([1, 2], [0.5, 1.0])
        assert [(row.r_precision, article.id) for row, article in db.evaluation.article_scores(session, 1)] == [
            (0.5, 1),
            (1.0, 2),
        ]


@pytest.mark.parametrize(("split", "arp", "articles"), [("validation", 0.0, 1), ("all", 0.5, 3)])
def test_a_split_holds_its_own_articles_alone(version, split, arp, articles):
    metrics = evaluate(version, Ranking.COSINE, split)[1].metrics
    assert (metrics["arp"], metrics["articles"]) == (pytest.approx(arp), articles)


@pytest.mark.parametrize(
    "ranking", [r for r in Ranking if r not in (Ranking.LEARNED, Ranking.LLM)]
)  # those need a ranker, and answers
def test_every_ranking_can_be_evaluated(version, ranking):
    metrics = evaluate(version, ranking, "test")[1].metrics
    assert 0 <= metrics["arp_low"] <= metrics["arp"] <= metrics["arp_high"] <= 1


def test_evaluating_twice_gives_equal_numbers_and_other_labels_another_hash(version):
    one, other = (evaluate(version, Ranking.HYBRID, "test")[1] for _ in range(2))
    assert one == other
    judge("Anna", 1, verdict(2, "reject"))
    evaluate(version, Ranking.HYBRID, "test")
    hashes = [sha256 for (sha256,) in query("SELECT label_set_sha256 FROM evaluation ORDER BY id")]
    assert hashes[0] == hashes[1] != hashes[2]
    with read() as session:
        assert db.evaluation.latest_evaluation(session, version.id, "hybrid", "test", hashes[0]).id == 2
        assert db.evaluation.latest_evaluation(session, version.id, "hybrid", "train") is None


def test_without_key_sentences_or_with_an_unknown_split_nothing_is_evaluated(version):
    with pytest.raises(NotEnoughGold, match="no article of the train split has a key sentence yet"):
        evaluate(version, Ranking.COSINE, "train")
    with pytest.raises(ValueError, match="split 'dev' is none of train, validation, test, all"):
        evaluate(version, Ranking.COSINE, "dev")
    judge("Anna", 1, verdict(0, "withdrawn"), verdict(2, "withdrawn"))
    judge("Anna", 2, verdict(1, "withdrawn"))
    judge("Anna", 4, verdict(2, "withdrawn"))
    with pytest.raises(NotEnoughGold, match="no gold yet"):
        evaluate(version, Ranking.COSINE, "all")
    assert query("SELECT count(*) FROM evaluation") == [(0,)]


def test_an_article_that_is_not_embedded_is_named(version):
    judge("Anna", 3, verdict(0))
    with pytest.raises(NotEmbedded, match="article 3"):
        evaluate(version, Ranking.COSINE, "test")


def test_the_labels_are_those_given_and_not_the_present_ones(version):
    with read() as session:
        before = current_label_set(session)
    judge("Anna", 2, verdict(1, "reject"), verdict(0))
    assert evaluate(version, Ranking.COSINE, "test", before)[1].metrics["arp"] == 0.75
    with read() as session:
        now = current_label_set(session)
        assert evaluated_articles(session, now, "test") == [1, 2]
    assert evaluate(version, Ranking.COSINE, "test", now)[1].metrics["arp"] == 0.25


@pytest.mark.postgresql
def test_what_is_judged_while_an_evaluation_reads_makes_it_out_of_date(version, monkeypatch):
    def judged_after(*given, **more):
        found = measured(*given, **more)
        judge("Anna", 2, verdict(2, "reject"))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(annotate.evaluation.evaluate_version, "measured", judged_after)
        evaluate(version, Ranking.COSINE, "test")
    with read() as session:
        assert not measured_as_now(session, db.evaluation.latest_evaluation(session, version.id, "cosine", "test"))
    evaluate(version, Ranking.COSINE, "test")
    with read() as session:
        assert measured_as_now(session, db.evaluation.latest_evaluation(session, version.id, "cosine", "test"))


@pytest.mark.parametrize(("count", "tenths"), [(20, [i // 2 for i in range(20)]), (3, [0, 3, 6]), (0, [])])
def test_sentences_are_counted_into_tenths(count, tenths):
    assert Measured(1, *[np.zeros(count)] * 6).deciles.tolist() == tenths
