"""A version in 8 bits encodes the sentences that come first by its whole weights, whatever the article's query is."""

import numpy as np
import pytest

import annotate.proposing.embed
import annotate.proposing.int8
from annotate.articles.document_labels import parse_labels, set_labels
from annotate.embeddings.stored import embeddings_of
from annotate.learning.live_ranking import propose_anew
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.embed import embed
from annotate.proposing.encoders import add_encoder
from annotate.proposing.first_again import asked_otherwise, queries_of
from annotate.proposing.int8 import add_int8
from annotate.proposing.propose import NotEmbedded, propose
from annotate.proposing.versions import find_version, model_folder
from model.encoder import encode, load
from model.files import INT8_FILE
from model.proposing.first_again import FIRST_AGAIN
from model.proposing.ranking import Ranking
from tests.support.int8 import LONG, rough
from tests.support.making import SENTENCES, contents, paper, propose_with, query, store


@pytest.fixture
def copy(home, tiny_encoder, monkeypatch):
    """A version in 8 bits that proposes; articles 1 and 2 are long, 3 is short. It needs no ONNX Runtime."""
    store(paper(LONG, pmid="1"), paper(LONG[::-1], pmid="2"), paper(pmid="3"))
    monkeypatch.setattr(annotate.proposing.int8, "write_int8", _written)
    for module in (annotate.proposing.int8, annotate.proposing.embed):
        monkeypatch.setattr(module, "load_int8", rough)
    monkeypatch.setattr(annotate.proposing.embed, "int8_is_there", lambda: True)
    add_encoder(str(tiny_encoder), "tiny")
    version = find_version(add_int8("tiny")["version"])
    propose_with(version)
    return version


def _written(files):
    (files / INT8_FILE).parent.mkdir()
    (files / INT8_FILE).write_bytes(b"numbers")


def label(article_id: int, *names: str) -> None:
    with write(Right.SYSTEM) as session:
        set_labels(session, article_id, parse_labels(*names))


def places(version, article_id: int, sentences=LONG) -> tuple[list[int], list[int]]:
    """(where the stored vectors are those of the whole weights; the first five by these for the article's query)."""
    with read() as session:
        stored = embeddings_of(session, version.id, [article_id])[article_id]
        asked = queries_of(session, version, [article_id])[article_id]
    whole = encode(load(model_folder(version), "cpu"), sentences, queries=[asked], mixed_precision=False)
    own = whole[1:].astype(np.float16).astype(np.float32)  # as they are stored
    by_whole = np.isclose(own, stored, rtol=0, atol=1e-3).all(axis=1)
    return np.flatnonzero(by_whole).tolist(), np.argsort(-(own @ whole[0]), kind="stable")[:5].tolist()


def proposed(article_id: int) -> list[int]:
    """Positions of the current proposals, by rank."""
    newest = query("SELECT max(id) FROM proposal_set WHERE article_id = :a", a=article_id)[0][0]
    rows = query(
        "SELECT s.position FROM proposal p JOIN sentence s ON s.id = p.sentence_id WHERE p.set_id = :n ORDER BY p.rank",
        n=newest,
    )
    return [position for (position,) in rows]


def test_the_first_five_are_those_of_the_whole_weights(copy):
    assert embed(copy) == 2 * len(LONG) + 3
    propose(ranking=Ranking.COSINE)
    for number, sentences in ((1, LONG), (2, LONG[::-1])):
        by_whole, first = places(copy, number, sentences)
        assert len(by_whole) == FIRST_AGAIN and proposed(number) == first
    assert places(copy, 3, SENTENCES)[0] == [0, 1, 2]


@pytest.mark.parametrize("installed", [True, False])
def test_labels_confirmed_later_have_other_sentences_encoded_again(copy, monkeypatch, installed):
    embed(copy)
    propose(ranking=Ranking.COSINE)
    before = places(copy, 1)[0]
    label(1, "TP53", "HeLa", "KO")
    monkeypatch.setattr(annotate.proposing.embed, "int8_is_there", lambda: installed)
    assert embed(copy, article_ids=[1]) == 0
    propose(ranking=Ranking.COSINE, article_ids=[1])
    by_whole, first = places(copy, 1)
    assert set(before) < set(by_whole) and set(first) <= set(by_whole) and proposed(1) == first


def test_a_query_that_another_article_has_had_is_no_exception(copy):
    """Its vector is stored: the page could propose at once, but for the sentences that come first now."""
    label(1, "TP53", "HeLa", "KO")
    embed(copy)
    propose(ranking=Ranking.COSINE)
    label(2, "TP53", "HeLa", "KO")
    label(3, "TP53", "HeLa", "KO")
    propose_anew(3)  # as short as it is it was encoded by the whole weights alone
    with pytest.raises(NotEmbedded, match="the first sentences of article 2 are of another query"):
        propose_anew(2)
    embed(copy)
    propose(ranking=Ranking.COSINE)
    by_whole, first = places(copy, 2, LONG[::-1])
    assert set(first) <= set(by_whole) and proposed(2) == first
    propose_anew(2)


def test_what_was_proposed_by_its_query_is_not_encoded_again(copy, monkeypatch):
    embed(copy)
    propose()
    before = contents("embedding", "query_embedding")
    monkeypatch.setattr(annotate.proposing.embed, "load_int8", None)
    embed(copy)
    assert contents("embedding", "query_embedding") == before
    with read() as session:
        assert asked_otherwise(session, copy, [1, 2, 3]) == {}


def test_articles_that_wait_to_be_embedded_and_cancelled_passes_are_left_alone(copy):
    assert embed(copy, article_ids=[1]) == len(LONG)
    label(1, "TP53", "HeLa", "KO")
    before = contents("embedding")
    assert embed(copy, cancelled=lambda: True) == 0
    assert contents("embedding") == before
    with read() as session:
        assert set(asked_otherwise(session, copy, [1, 2, 3])) == {1, 2}


def test_a_version_in_float32_is_asked_nothing(copy):
    tiny = find_version("tiny")
    embed(tiny)
    with read() as session:
        assert asked_otherwise(session, tiny, [1, 2, 3]) == {}
