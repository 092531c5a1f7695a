"""Proposing: the top k by rank with what explains them, from stored embeddings, without repeating itself."""

import numpy as np
import pytest

import db.proposing
from annotate.articles.document_labels import labels_of, terms_of
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.propose import NotEmbedded, propose, rank_articles
from annotate.topics.file import shipped
from annotate.topics.project_topic import use_topic
from db.tables import Article
from model.proposing.query import generic_query
from model.proposing.ranking import Pool, Ranking, top_k
from tests.support.copies import ran
from tests.support.labels import gene_labels, set_labels
from tests.support.making import (
    SENTENCES,
    judge,
    paper,
    propose_with,
    query,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES, RULES, TOPIC

GENERIC = GENERIC_QUERIES[BEST_GENERIC]


@pytest.fixture
def version(home):
    """A proposing version with two articles embedded by hand."""
    store(paper(pmid="1"), paper(pmid="2"))
    made = version_without_weights("tiny")
    propose_with(made)
    store_cosines(made, 1, GENERIC, (0.25, 0.5, 0.0))
    store_cosines(made, 2, GENERIC, (0.75, 0.5, 0.75))
    return made


def stored(set_id: int) -> list[tuple[int, int, float, float]]:
    with read() as session:
        return [(p.rank, position, p.score, p.cosine) for p, position in db.proposing.proposals(session, set_id)]


def test_the_k_best_are_stored_with_rank_score_and_cosine(version):
    assert propose(ranking=Ranking.COSINE, k=2) == 2
    assert stored(1) == [(1, 1, 0.5, 0.5), (2, 0, 0.25, 0.25)]
    assert stored(2) == [(1, 0, 0.75, 0.75), (2, 2, 0.75, 0.75)]  # a tie stays in reading order
    assert query("SELECT article_id, version_id, ranking, query, k FROM proposal_set") == [
        (1, 1, "cosine", GENERIC, 2),
        (2, 1, "cosine", GENERIC, 2),
    ]


def test_all_are_stored_of_which_some_are_shown_at_first_and_no_more_come_to_who_has_begun(version):
    def shown(session, chosen):
        assert {number: (one.sentences, one.positions) for number, one in chosen.items()} == {
            1: (3, [1, 0, 2]),
            2: (3, [0, 2, 1]),
        }
        return {1: 1, 2: 2}

    numbers = "SELECT article_id, k FROM proposal_set ORDER BY id"
    assert propose(ranking=Ranking.COSINE, k=3, shown=shown) == 2
    assert query(numbers) == [(1, 1), (2, 2)]
    assert [rank for rank, *_ in stored(1)] == [1, 2, 3]
    assert propose(ranking=Ranking.COSINE, k=3, shown=shown) == 0
    judge("Anna", 1, verdict(0))
    assert propose(ranking=Ranking.COSINE, k=3) == 1  # all would be shown
    assert query(numbers) == [(1, 1), (2, 2), (2, 3)]


def test_an_article_of_fewer_sentences_than_k_gives_all_of_them(version):
    propose(ranking=Ranking.COSINE, k=50)
    assert [rank for rank, *_ in stored(1)] == [1, 2, 3]


def test_proposing_again_adds_no_set(version):
    assert propose(ranking=Ranking.HYBRID, k=2) == 2
    assert propose(ranking=Ranking.HYBRID, k=2) == 0
    assert query("SELECT count(*) FROM proposal_set") == [(2,)]


def test_another_ranking_k_query_or_version_makes_another_set(version):
    propose(ranking=Ranking.COSINE, k=1)
    assert propose(ranking=Ranking.COSINE, k=2) == 2
    assert propose(ranking=Ranking.TERMS, k=2) == 2
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53", "HeLa", "KO"))
    store_cosines(version, 1, "TP53 knockout from HeLa", (0.25, 0.5, 0.0))
    assert propose(ranking=Ranking.TERMS, k=2) == 1
    child = version_without_weights("child", own_query="own query")
    propose_with(child)
    for article_id in (1, 2):
        store_cosines(child, article_id, "own query", (0.5, 0.25, 0.0))
    assert propose(ranking=Ranking.TERMS, k=2) == 2
    assert query("SELECT DISTINCT version_id, query FROM proposal_set ORDER BY 1, 2") == [
        (1, GENERIC),
        (1, "TP53 knockout from HeLa"),
        (2, "own query"),
    ]


def test_new_labels_that_change_the_order_make_another_set(version):
    propose(ranking=Ranking.COSINE, k=1)
    store_cosines(version, 1, GENERIC, (0.875, 0.5, 0.0))
    assert propose(ranking=Ranking.COSINE, k=1) == 1
    with read() as session:
        current = db.proposing.current_sets(session, [1, 2])
        assert {article: found.id for article, found in current.items()} == {1: 3, 2: 2}
        assert db.proposing.current_set(session, 1).id == 3


def test_only_the_articles_asked_for_are_proposed(version):
    done: list[int] = []
    assert propose(ranking=Ranking.COSINE, article_ids=[2], progress=done.append) == 1
    assert query("SELECT article_id FROM proposal_set") == [(2,)] and done == [1]


def test_a_cancelled_run_stores_nothing_more(version):
    assert propose(ranking=Ranking.COSINE, cancelled=lambda: True) == 0
    assert query("SELECT count(*) FROM proposal_set") == [(0,)]


def test_an_article_without_text_is_passed_over(version):
    store(paper((), pmid="3"))
    assert propose(ranking=Ranking.COSINE) == 2


@pytest.mark.parametrize("missing", ["article", "query", "outdated"])
def test_what_is_not_embedded_is_named_and_nothing_is_stored(version, missing):
    if missing == "article":
        store(paper(pmid="3"))
    elif missing == "query":
        with write(Right.SYSTEM) as session:
            set_labels(session, 2, gene_labels("TP53", "", ""))
    else:
        store(paper(body=("Another sentence here.",), pmid="2"))
    there = 3 if missing == "article" else 2
    with pytest.raises(NotEmbedded, match=f"article {there} is not embedded under tiny"):
        propose(ranking=Ranking.COSINE, article_ids=[1, there])
    assert query("SELECT count(*) FROM proposal_set") == [(0,)]
    propose(ranking=Ranking.COSINE)  # a pass over all leaves it for the next pass
    assert there not in [row[0] for row in query("SELECT article_id FROM proposal_set")]


@pytest.mark.parametrize(
    "ranking", [r for r in Ranking if r not in (Ranking.LEARNED, Ranking.LLM)]
)  # those: test_rankers.py, test_llm_comparison.py
def test_every_ranking_is_that_of_its_pool(version, ranking):
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53", "HeLa", "KO"))
    store_cosines(version, 1, "TP53 knockout from HeLa", (0.25, 0.5, 0.0))
    with read() as session:
        ranked = rank_articles(session, version, ranking, [1])[1]
        terms = terms_of(labels_of(session, [1])[1])
    cosines = np.array([0.25, 0.5, 0.0], dtype=np.float32)
    pool = Pool(SENTENCES, cosines, terms, ["abstract"] * 3, ["paragraph"] * 3, rules=RULES)
    assert ranked.queries == ("TP53 knockout from HeLa",)
    assert ranked.cosines == pytest.approx(cosines)
    assert ranked.scores == pytest.approx(ranking.scores(pool))


def test_what_the_encoder_embedded_ranks_as_computed_directly(tiny_home):
    from annotate.proposing.embed import embed
    from annotate.registry.versions import verified_folder
    from model.encoder import encode, load

    sentences = (
        "The gene is known in cancer.",
        "Here we generated a knockout of KRAS in A549 cells.",
        "Protein expression was measured.",
        "We edited the gene using CRISPR.",
        "The buffer was incubated.",
    )
    store(paper(sentences, pmid="1"), paper(pmid="2"))
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("KRAS", "A549", "KO"))
    with pytest.raises(NotEmbedded):
        propose(
            article_ids=[1, 2],
        )
    version = proposing_version()
    reported: list[tuple[int, int]] = []
    assert embed(version, progress=lambda done, total: reported.append((done, total))) == 8
    assert reported[-1] == (8, 8)
    assert embed(version) == 0
    assert propose(ranking=Ranking.COSINE, k=3) == 2
    encoder = load(verified_folder(version), device="cpu")
    vectors = encode(encoder, ["KRAS knockout from A549", *sentences])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(6), abs=1e-5)
    cosines = vectors[1:] @ vectors[0]
    found = stored(1)
    assert [position for _, position, *_ in found] == top_k(cosines, 3)
    assert [cosine for *_, cosine in found] == pytest.approx(sorted(cosines)[::-1][:3], abs=1e-3)  # float16
    with write(Right.SYSTEM) as session:  # full text arrives: only this article is embedded anew
        session.get(Article, 1).sentence_count = 5
    store(paper(sentences, ("Growth decreased.", "The line was known."), pmid="1"))
    assert embed(version, article_ids=[2]) == 0
    assert embed(version) == 7


def test_proposing_needs_no_torch(version, home):
    code = (
        "import sys; from annotate.proposing.propose import propose; from model.proposing.ranking import Ranking;"
        "print(propose(ranking=Ranking.HYBRID)); assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    done = ran(code)
    assert (done.stdout.strip(), done.returncode) == ("2", 0), done.stderr


def test_a_set_and_a_version_keep_the_topic_that_made_them(version):
    propose()
    assert query("SELECT DISTINCT topic_sha256, ranking FROM proposal_set") == [(TOPIC.sha256, "hybrid")]
    assert query("SELECT topic_sha256 FROM model_version") == [(TOPIC.sha256,)]


def test_another_topic_proposes_by_its_own_ranking_and_query(version):
    propose()
    use_topic(shipped("blank").text, by="Anna")
    assert propose() == 0  # its query is not embedded yet: what was proposed stays
    for article_id, cosines in ((1, (0.1, 0.2, 0.3)), (2, (0.3, 0.2, 0.1))):
        store_cosines(version, article_id, generic_query(shipped("blank").rules), cosines)
    assert propose(k=1) == 2
    latest = "SELECT ranking, topic_sha256 FROM proposal_set WHERE k = 1 ORDER BY id"
    assert query(latest) == [("hybrid", shipped("blank").sha256)] * 2
