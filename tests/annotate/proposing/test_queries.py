"""Articles with a query for each name: a sentence counts by the nearest, in all that ranks and shows."""

import numpy as np
import pytest

import db.proposing
from annotate.active_learning.article_features import store_features
from annotate.active_learning.article_rankers import why
from annotate.active_learning.topic_preview import preview
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.propose import NotEmbedded, pools_of, propose
from annotate.proposing.queries import queries_of, vectors_of_text
from annotate.topics.file import read_topic
from annotate.topics.project_topic import use_topic
from model.proposing.ranking import Ranking
from tests.support.labels import gene_labels, set_labels
from tests.support.making import SENTENCES, paper, propose_with, query, store, version_without_weights
from tests.support.topics import GENERIC, TOPIC

EACH = TOPIC.text.replace("\nqueries:\n", "\nqueries:\n  each: gene\n")
QUERIES = ("TP53 knockout from HeLa", "ACE2 knockout from HeLa")
# To the first query 0.6, 0 and 1, to the second 0.8, 1 and 0.
VECTORS = np.array([[0.6, 0.8], [0.0, 1.0], [1.0, 0.0]])
VECTOR_OF = dict(zip(QUERIES, np.float32([[1, 0], [0, 1]]), strict=True))


def embed_queries(version, *queries: str) -> None:
    with write(Right.SYSTEM) as session:
        rows = {query: VECTOR_OF.get(query, np.float32([1, 0])).tobytes() for query in queries}
        db.proposing.store_query_vectors(session, version.id, rows)


@pytest.fixture
def version(home):
    """An article with two genes, embedded by hand, in a project that asks for each gene by itself."""
    use_topic(EACH, by="Anna")
    store(paper(pmid="1"))
    made = version_without_weights("tiny")
    propose_with(made)
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53; ACE2", "HeLa", "KO"))
        row = {"version_id": made.id, "article_id": 1, "sentence_count": 3}
        vectors = VECTORS.astype(np.float16).tobytes()
        db.proposing.store_embeddings(session, [row | {"vectors": vectors}])
    return made


def test_a_sentence_has_the_cosine_to_the_nearest_of_the_articles_queries(version):
    embed_queries(version, *QUERIES)
    with read() as session:
        found = pools_of(session, version, [1])[1]
    assert (found.queries, found.nearest.tolist()) == (QUERIES, [1, 1, 0])
    assert found.pool.cosines == pytest.approx([0.8, 1.0, 1.0], abs=1e-3)


def test_an_article_waits_until_each_of_its_queries_is_embedded(version):
    embed_queries(version, QUERIES[0])
    assert store_features(version) == []
    with read() as session, pytest.raises(NotEmbedded):
        pools_of(session, version, [1])
    embed_queries(version, QUERIES[1])
    assert store_features(version) == [1]
    assert store_features(version) == []


def test_proposals_keep_all_queries_and_say_which_was_the_nearest(version):
    embed_queries(version, *QUERIES)
    assert (propose(ranking=Ranking.COSINE), propose(ranking=Ranking.COSINE)) == (1, 0)
    ((text,),) = query("SELECT query FROM proposal_set")
    assert text == "\n".join(QUERIES)
    with read() as session:
        assert vectors_of_text(session, version, text).tolist() == [[1, 0], [0, 1]]
        assert vectors_of_text(session, version, f"{text}\nTP63 knockout") is None
    named = {position: parts[0][0] for position, parts in why(1)["parts"].items()}
    assert named["1"] == f"similarity to the query: “{QUERIES[1]}”"
    assert named["2"] == f"similarity to the query: “{QUERIES[0]}”"


def test_a_single_query_of_several_lines_is_one_query(version):
    embed_queries(version, "two\nlines")
    with read() as session:
        assert vectors_of_text(session, version, "two\nlines").shape == (1, 2)


def test_a_fine_tuned_version_is_asked_as_it_was_trained_with_all_names_in_one_query(version):
    child = version_without_weights("child", parent_id=version.id)
    rules, labels = read_topic(EACH).rules, gene_labels("TP53; ACE2", "HeLa", "KO")
    assert queries_of(rules, version, labels) == QUERIES
    assert queries_of(rules, child, labels) == ("TP53, ACE2 knockout from HeLa",)


def test_a_changed_topic_that_asks_for_each_name_is_previewed_by_the_nearest(version):
    use_topic(TOPIC.text, by="Anna")
    embed_queries(version, "TP53, ACE2 knockout from HeLa", GENERIC)
    changed = EACH.replace("\nranking: hybrid\n", "\nranking: cosine\n")
    assert [row.query_is_new for row in preview(read_topic(changed))] == [True]
    embed_queries(version, *QUERIES)
    (row,) = preview(read_topic(changed))
    assert not row.query_is_new
    assert [sentence.text for sentence in row.changed] == [SENTENCES[1], SENTENCES[2], SENTENCES[0]]


def test_what_topics_have_in_common_is_known_of_an_article_but_not_of_one_that_a_fine_tuned_version_ranks(version):
    common = EACH.replace("\nqueries:\n", "\ncommon: 1\nqueries:\n")
    embed_queries(version, *QUERIES)
    with read() as session:
        assert pools_of(session, version, [1])[1].pool.common is None
    use_topic(common, by="Anna")
    with read() as session:
        assert pools_of(session, version, [1])[1].pool.common.shape == (3,)
        version.parent_id, version.query = version.id, QUERIES[0]
        assert pools_of(session, version, [1])[1].pool.common is None
    assert preview(read_topic(EACH)) and preview(read_topic(common))


def test_why_names_the_words_that_a_sentence_shares_with_the_articles_queries(version):
    use_topic(EACH.replace("\nqueries:\n", "\nshared_words: 2\nqueries:\n"), by="Anna")
    embed_queries(version, *QUERIES)
    propose(ranking=Ranking.TERMS, k=3)
    said = {position: [what for what, _ in parts if "shared" in what] for position, parts in why(1)["parts"].items()}
    assert said["1"] == ["words shared with the query: “TP53, HeLa”"]
    assert said["0"] == said["2"] == ["no words shared with the query"]
