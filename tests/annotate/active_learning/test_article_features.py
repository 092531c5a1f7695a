"""The head's rows of every article: what they hold, when they are computed anew, and what is read of them."""

import numpy as np
import pytest

import annotate.active_learning.article_features
import db.rows
from annotate.active_learning.article_features import TOP, candidates, rows_for, store_features, store_tops
from annotate.articles.document_labels import labels_of
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.propose import pools_of
from annotate.proposing.queries import queries_of
from db.tables import Article, ArticleFeatures
from model.active_learning.features import FEATURES, features_of
from model.active_learning.head import COLUMNS, first_head, projection
from tests.support.labels import gene_labels, set_labels
from tests.support.making import paper, propose_with, query, store, store_cosines, version_without_weights
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES, PRIOR, RULES

GENERIC = GENERIC_QUERIES[BEST_GENERIC]
TEXT = (
    "The gene is known.",
    "Here we deleted TP53 in HeLa cells using CRISPR.",
    "The assay was measured.",
)


@pytest.fixture
def version(home):
    """A version and two articles embedded under it by hand; a third is not."""
    made = version_without_weights("tiny")
    propose_with(made)
    long = tuple(f"Sentence {number} tells of the buffer." for number in range(11))
    store(paper(TEXT, pmid="1"), paper((*TEXT, *long), pmid="2"), paper(TEXT, pmid="3"))
    store_cosines(made, 1, GENERIC, (0.1, 0.6, 0.3))
    store_cosines(made, 2, GENERIC, np.linspace(0, 0.9, 14))
    return made


def test_rows_are_the_features_beside_the_projected_embeddings_as_float16(version):
    assert store_features(version) == [1, 2]
    with read() as session:
        rows = rows_for(session, version.id, [1, 2, 3])
        pool = pools_of(session, version, [1])[1]
    assert {number: own.shape for number, own in rows.items()} == {1: (3, len(COLUMNS)), 2: (14, len(COLUMNS))}
    assert rows[1].dtype == np.float32
    assert rows[1][:, : len(FEATURES)] == pytest.approx(features_of(pool.pool), abs=2e-3)
    vectors = np.array([[0.1, 0.99**0.5], [0.6, 0.8], [0.3, 0.91**0.5]])
    assert rows[1][:, len(FEATURES) :] == pytest.approx(vectors @ projection(2), abs=2e-3)


def test_the_best_by_the_fixed_hybrid_stand_for_an_article_until_a_head_has_learnt(version):
    store_features(version)
    with read() as session:
        ids, tops, rows, mask = candidates(session, version.id)
        everything = rows_for(session, version.id, [1, 2])
    assert ids.tolist() == [1, 2]
    assert tops.shape == (2, TOP) and tops[0, 0] == 1 and tops[0, 3:].tolist() == [-1] * 7
    assert mask.sum(axis=1).tolist() == [3, 10]
    assert np.array_equal(rows[0, :3], everything[1][tops[0, :3]])
    assert not rows[0, 3:].any()
    assert np.array_equal(rows[1], everything[2][tops[1]])


def test_what_is_unchanged_is_left_alone_and_new_document_labels_make_new_rows(version):
    reported: list[int] = []
    store_features(version, progress=reported.append)
    assert reported == [3]
    assert store_features(version) == []
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53|p53", "HeLa", "KO"))
    assert store_features(version) == []  # the query of these names is not embedded yet
    with read() as session:
        (words,) = queries_of(RULES, version, labels_of(session, [1])[1])
    store_cosines(version, 1, words, (0.1, 0.6, 0.3))
    assert store_features(version) == [1]
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53|p53", "HeLa", "KO; KI"))
    assert store_features(version) == []  # the first edit alone counts


def test_another_meaning_of_the_columns_or_more_text_makes_new_rows(version, monkeypatch):
    store_features(version)
    monkeypatch.setattr(annotate.active_learning.article_features, "FORM", 2)
    assert store_features(version) == [1, 2]
    with write(Right.SYSTEM) as session:
        session.get(Article, 1).sentence_count = 4  # its full text is being stored
    with read() as session:
        assert set(rows_for(session, version.id, [1, 2])) == {2}
        assert candidates(session, version.id)[0].tolist() == [2]
    assert store_features(version) == []  # its embedding no longer fits: the next pass


def test_a_pass_can_be_cancelled_and_kept_to_some_articles(version):
    assert store_features(version, cancelled=lambda: True) == []
    assert store_features(version, article_ids=[2]) == [2]
    assert query("SELECT article_id FROM article_features") == [(2,)]


def test_a_head_chooses_the_sentences_that_stand_for_an_article(version):
    store_features(version)
    with read() as session:
        rows = rows_for(session, version.id, [2])[2]
    wanted = np.isin(np.arange(14), range(4, 14))  # the last ten
    head = first_head(rows, PRIOR).learn(rows, wanted.astype(float), np.full(14, 50.0))
    assert head.log_odds(rows[wanted]).min() > head.log_odds(rows[~wanted]).max()
    assert store_tops(version, head) == 1
    assert store_tops(version, head) == 0
    with read() as session:
        _, tops, best, _ = candidates(session, version.id, [2])
    assert sorted(tops[0].tolist()) == list(range(4, 14))
    assert np.array_equal(best[0], rows[tops[0]])


def test_an_article_without_sentences_has_no_rows_and_one_that_was_stored_stops_nothing(version):
    store(paper((), pmid="4"))
    assert store_features(version, article_ids=[1, 4, 99]) == [1]
    with write(Right.SYSTEM) as session:  # as an earlier release stored it
        empty = {"inputs_sha256": "", "sentence_count": 0, "rows": b"", "top": b"", "top_rows": b""}
        db.rows.put(session, ArticleFeatures, [{"version_id": version.id, "article_id": 4, **empty}])
    with read() as session:
        assert rows_for(session, version.id, [1, 4])[4].shape == (0, len(COLUMNS))
        ids, tops, _, mask = candidates(session, version.id)
    assert ids.tolist() == [1, 4] and not mask[1].any() and tops[1].tolist() == [-1] * TOP
