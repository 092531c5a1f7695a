"""What is embedded of a version with prompts and of one without, and under which key it is stored."""

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

import annotate.proposing.embed
import db.proposing
import db.registry
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.proposing.embed import embed
from annotate.proposing.encoders import add_encoder
from annotate.proposing.prompts import query_key, version_prompts
from annotate.proposing.propose import NotEmbedded, pools_of, propose
from annotate.registry.versions import verified_folder
from model.encoder import encode, load
from model.prompts import Prompts
from model.proposing.ranking import Ranking
from tests.support.labels import gene_labels, set_labels
from tests.support.making import SENTENCES, contents, paper, propose_with, query, store, version_without_weights
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

GENERIC = GENERIC_QUERIES[BEST_GENERIC]
PROMPTS = Prompts("the cell ", "we in ")


@pytest.fixture
def prompted(home, tiny_encoder, tmp_path):
    """The tiny encoder with a prompt on each side, as a version; three articles, one of them with names of its own."""
    store(*(paper(pmid=number) for number in ("1", "2", "3")))
    with write(Right.SYSTEM) as session:
        set_labels(session, 3, gene_labels("TP53", "HeLa", "KO"))
    encoder = SentenceTransformer(str(tiny_encoder), prompts={"query": PROMPTS.query, "passage": PROMPTS.document})
    encoder.save_pretrained(str(tmp_path / "prompted"), create_model_card=False)
    return add_encoder(str(tmp_path / "prompted"))


def as_before(version) -> None:
    """Embeds everything as an earlier release did, which knew no prompts."""
    encoder = load(verified_folder(version), device="cpu")
    encoder.prompts = {}
    rows = encode(encoder, SENTENCES).astype(np.float16)
    queries = [GENERIC, "TP53 knockout from HeLa"]
    with write(Right.SYSTEM) as session:
        row = {"version_id": version.id, "sentence_count": 3, "vectors": rows.tobytes()}
        db.proposing.store_embeddings(session, [row | {"article_id": number} for number in (1, 2, 3)])
        vectors = {text: v.tobytes() for text, v in zip(queries, encode(encoder, queries), strict=True)}
        db.proposing.store_query_vectors(session, version.id, vectors)


def stored(version, article_id: int) -> np.ndarray:
    with read() as session:
        return embeddings_of(session, version.id, [article_id])[article_id]


@pytest.mark.parametrize("upgraded", [False, True])
def test_sentences_and_queries_are_embedded_behind_their_prompts_and_ranked(prompted, upgraded):
    if upgraded:
        as_before(prompted)
        with read() as session, pytest.raises(NotEmbedded):
            pools_of(session, prompted, [1])
    assert embed(prompted) == 9
    encoder = load(verified_folder(prompted), device="cpu")
    vectors = encode(encoder, SENTENCES, queries=[GENERIC])
    assert stored(prompted, 2) == pytest.approx(vectors[1:], abs=2e-3)
    with read() as session:
        pool = pools_of(session, prompted, [1])[1]
    assert (pool.queries, pool.pool.cosines) == ((GENERIC,), pytest.approx(vectors[1:] @ vectors[0], abs=5e-3))
    encoder.prompts = {}
    assert abs(encode(encoder, SENTENCES) - vectors[1:]).max() > 0.02
    propose_with(prompted)
    assert propose(ranking=Ranking.COSINE) == 3
    assert {row[0] for row in query("SELECT query FROM proposal_set")} == {GENERIC, "TP53 knockout from HeLa"}


def test_what_was_embedded_behind_the_prompts_is_kept(prompted, monkeypatch):
    assert embed(prompted, article_ids=[1]) == 3
    store(paper(pmid="4"))
    assert embed(prompted) == 9
    before = contents("embedding", "query_embedding")
    monkeypatch.setattr(annotate.proposing.embed.encoders, "load", None)
    assert embed(prompted) == 0
    assert contents("embedding", "query_embedding") == before and len(before["query_embedding"]) == 3


def test_what_another_process_embeds_meanwhile_is_kept(prompted, monkeypatch):
    """Both found the embeddings of an earlier release; the second comes to remove them after the first is done."""
    as_before(prompted)
    embedder, done = annotate.proposing.embed.Embedder, []

    class Late(embedder):
        def __call__(self, texts, **settings):
            if not done:
                done.append(True)
                done.append(embed(prompted))
            return super().__call__(texts, **settings)

    monkeypatch.setattr(annotate.proposing.embed, "Embedder", Late)
    assert embed(prompted) == 0 and done == [True, 9]


def test_the_embeddings_of_an_encoder_without_prompts_stay_as_they_are(tiny_home, monkeypatch):
    store(*(paper(pmid=number) for number in ("1", "2", "3")))
    with read() as session:
        version = db.registry.encoder_named(session, "tiny")
    as_before(version)
    before = contents("embedding", "query_embedding")
    monkeypatch.setattr(annotate.proposing.embed.encoders, "load", None)
    assert embed(version) == 0
    assert contents("embedding", "query_embedding") == before
    with read() as session:
        assert pools_of(session, version, [1])[1].queries == (GENERIC,)
        assert query_key(version, GENERIC) == GENERIC


def test_the_key_of_a_query_names_the_prompts_of_both_sides(home):
    plain, asked, read_by = (
        version_without_weights(name, prompts=prompts)
        for name, prompts in (("a", {"query": "", "document": ""}), ("b", {"query": "q: "}), ("c", {"passage": "p: "}))
    )
    assert [version_prompts(version) for version in (plain, asked, read_by)] == [
        Prompts(),
        Prompts("q: ", ""),
        Prompts("", "p: "),
    ]
    keys = {query_key(version, "gene") for version in (plain, asked, read_by)}
    assert len(keys) == 3 and "gene" in keys
    (folder("models") / "b" / "config_sentence_transformers.json").unlink()
    assert query_key(asked, "gene") == "gene"  # as in a project whose files are elsewhere: every page still opens
