"""What was learnt of a version's embeddings is learnt anew once they are made behind the prompts of its encoder."""

import pytest

import annotate.active_learning.article_rankers
import db.proposing
from annotate.active_learning.article_features import store_features
from annotate.active_learning.article_rankers import fit
from annotate.active_learning.live_ranking import rank_now
from annotate.active_learning.live_state import forget
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.prompts import query_key
from tests.support.live_world import held_by_anna, live_world
from tests.support.making import contents, judge, paper, pmids, propose_with, reading, store, store_cosines, verdict
from tests.support.making import version_without_weights as made
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

GENERIC = GENERIC_QUERIES[BEST_GENERIC]
PROMPTS = {"query": "search: "}


def embedded(version, number: int, *, behind_prompts: bool) -> None:
    words = query_key(version, GENERIC) if behind_prompts else GENERIC
    for article_id in range(1, number + 1):
        store_cosines(version, article_id, words, (0.25, 0.5, 0.0))


def test_features_are_computed_anew(home, monkeypatch):
    store(paper(pmid="1"), paper(pmid="2"))
    version = made("tiny", prompts=PROMPTS)
    with monkeypatch.context() as earlier:
        for module in ("active_learning.article_features", "proposing.queries"):
            earlier.setattr(f"annotate.{module}.query_key", lambda version, query: query)
        embedded(version, 2, behind_prompts=False)
        assert store_features(version) == [1, 2]
    assert store_features(version) == []  # nothing is embedded behind the prompts yet
    embedded(version, 2, behind_prompts=True)
    assert store_features(version) == [1, 2]
    assert store_features(version) == []


def test_a_learned_ranking_is_fitted_anew(home, monkeypatch):
    monkeypatch.setattr(annotate.active_learning.article_rankers, "MIN_ARTICLES", 4)
    store(*(paper(pmid=number) for number in pmids("train", 5)))
    version = made("tiny", prompts=PROMPTS)
    propose_with(version)
    embedded(version, 5, behind_prompts=True)
    for article_id in range(1, 6):
        judge("Anna", article_id, verdict(1), verdict(0, "reject"), reading())
    with monkeypatch.context() as earlier:
        earlier.setattr(annotate.active_learning.article_rankers, "query_key", lambda version, query: query)
        before = fit(version)
        assert "prompts" not in before.metrics
    after = fit(version)
    assert after.id != before.id and "search: " in after.metrics["prompts"]
    assert fit(version).id == after.id


@pytest.mark.parametrize("gone", ["sentences", "queries"])
@pytest.mark.postgresql
def test_an_article_that_waits_to_be_embedded_anew_keeps_its_proposals(home, gone):
    version = live_world()
    article_id = held_by_anna()
    judge("Anna", article_id, verdict(2, "reject"))
    with read() as session:
        vectors = db.proposing.query_vectors(session, version.id, [GENERIC])
        rows = db.proposing.embeddings(session, version.id, [article_id])
        names = ("version_id", "article_id", "sentence_count", "vectors")
        kept = [{name: getattr(row, name) for name in names} for row in rows.values()]
    with write(Right.SYSTEM) as session:
        db.proposing.remove_embeddings(session, version.id)
        if gone == "sentences":
            db.proposing.store_query_vectors(session, version.id, vectors)
        else:
            db.proposing.store_embeddings(session, kept)
    before = contents("proposal_set", "proposal")
    answer = rank_now("Anna", article_id)
    forget()
    assert not answer["changed"] and answer["proposals"]
    assert contents("proposal_set", "proposal") == before
