"""Embeddings of everything a version has not seen yet. Imports torch: for job processes, never for the pages."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sentence_transformers import SentenceTransformer

import db.articles
import db.proposing
from annotate.articles.document_labels import Labels, labels_of
from annotate.embeddings.keeping import keeping, remove_lost
from annotate.engines.engine import HERE, Engine, Work
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.examples import example_vectors, sentences_of
from annotate.proposing.prompts import query_key, sentence_key
from annotate.proposing.propose import article_batches
from annotate.proposing.queries import queries_of, vectors_by_query
from annotate.registry.versions import verified_folder
from annotate.topics.project_topic import topic_now
from db.tables import ModelVersion
from model import encoder as encoders

# Articles are read until a chunk holds this many sentences: enough to sort by length, small enough to lose.
CHUNK_SENTENCES = 2_000
CHUNK_ARTICLES = 400
QUERY_CHUNK = 100  # articles
# The threads that share one encoder in a process on a cluster. More gain little at these lengths of sentences.
CORES = 4


@dataclass(frozen=True, slots=True)
class Chunk:
    """Articles whose sentences are embedded together: the article of each sentence, shape (n,), and its text."""

    article_ids: list[int]
    owners: np.ndarray
    texts: list[str]


class Embedder:
    """Loads the version's encoder when first needed: a corpus that is embedded already needs none."""

    def __init__(self, version: ModelVersion, encoder: SentenceTransformer | None = None) -> None:
        self.version = version
        self._encoder = encoder

    @property
    def encoder(self) -> SentenceTransformer:
        """The encoder, read now at the latest."""
        if self._encoder is None:
            self._encoder = load_version(self.version)
        return self._encoder

    def __call__(self, texts: Sequence[str], **settings: Any) -> np.ndarray:
        """Unit-length embeddings of sentences, float32, shape (n, dimension); of `queries` in front of them."""
        return encoders.encode(self.encoder, texts, **settings)


def load_version(version: ModelVersion) -> SentenceTransformer:
    """The encoder of a version. Raises DamagedModel."""
    return encoders.load(verified_folder(version), most_tokens=None)


class Encoding(Work[Chunk, tuple[Chunk, np.ndarray]]):
    """Embeds the sentences of chunks, as float16, shape (n, dimension). `progress` hears how many are done, if here."""

    cores = CORES
    uses_gpu = True

    def __init__(self, embedder: Embedder, progress: Callable[[int], None] | None = None) -> None:
        self.embedder = embedder
        self.settings = {"progress": progress} if progress else {}

    def __call__(self, given: Chunk) -> Iterable[tuple[Chunk, np.ndarray]]:
        """The chunk with its embeddings."""
        yield given, self.embedder(given.texts, **self.settings).astype(np.float16)


def embed(
    version: ModelVersion,
    *,
    encoder: SentenceTransformer | None = None,
    article_ids: Sequence[int] | None = None,
    engine: Engine = HERE,
    progress: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> int:
    """Stores the missing sentence and query embeddings of these articles, or all, and the ones of the topic's examples;
    returns the sentences of articles embedded.

    What an earlier release made without the prompts of the version's encoder counts as missing. A given encoder is used
    in this process; another engine loads the version's files.
    """
    embedder = Embedder(version, encoder)
    _remove_unprompted(version, embedder)
    remove_lost(version.id)
    with read() as session:
        total = db.proposing.count_sentences_to_embed(session, version.id, article_ids)
    done, before = 0, -1
    work = Encoding(embedder, lambda n: progress(done + n, total)) if engine.here else Encoding(Embedder(version))
    while done > before:  # articles may come, and grow, while others are embedded
        before = done
        with keeping(version.id) as keeper:
            for chunk, vectors in engine.map(work, _missing(version, article_ids), cancelled, ordered=False):
                keeper.add({number: vectors[chunk.owners == number] for number in chunk.article_ids})
                done += len(chunk.texts)
                progress(done, total)
    _embed_queries(version, embedder, article_ids, cancelled)
    _embed_examples(version, embedder)
    return done


def _missing(version: ModelVersion, article_ids: Sequence[int] | None) -> Iterator[Chunk]:
    """One pass over the articles to embed, read as they are asked for."""
    last = 0
    while True:
        with read() as session:
            missing = db.proposing.articles_to_embed(session, version.id, article_ids, limit=CHUNK_ARTICLES, after=last)
            chosen: list[int] = []
            size = 0
            for article_id, count in missing:
                if chosen and size + count > CHUNK_SENTENCES:
                    break
                chosen.append(article_id)
                size += count
            sentences = db.articles.sentences(session, chosen)
        if not chosen:
            return
        last = chosen[-1]
        yield Chunk(chosen, np.array([s.article_id for s in sentences]), [s.text for s in sentences])


def _remove_unprompted(version: ModelVersion, embedder: Embedder) -> None:
    """Once for a version with prompts; the embedding of an empty query marks that it is done."""
    mark = query_key(version, "")
    if not mark:
        return
    with read() as session:
        if db.proposing.query_vectors(session, version.id, [mark]):
            return
    vector = embedder([], queries=[""])[0].tobytes()
    with write(Right.SYSTEM) as session:
        if not db.proposing.query_vectors(session, version.id, [mark]):  # by another process, meanwhile
            db.proposing.remove_embeddings(session, version.id)
            db.proposing.store_query_vectors(session, version.id, {mark: vector})


def _embed_queries(
    version: ModelVersion,
    embedder: Embedder,
    article_ids: Sequence[int] | None,
    cancelled: Callable[[], bool],
) -> None:
    for batch in article_batches(article_ids, QUERY_CHUNK, cancelled=cancelled):
        with read() as session:
            # The queries of an article without labels too: evaluations tell what the ranking is worth without them.
            rules = topic_now(session).rules
            asked = (Labels(), *labels_of(session, batch).values())
            queries = {query for labels in asked for query in queries_of(rules, version, labels)}
            stored = vectors_by_query(session, version, queries)
        if missing := sorted(queries - stored.keys()):
            vectors = [vector.tobytes() for vector in embedder([], queries=missing)]
            rows = {query_key(version, query): vector for query, vector in zip(missing, vectors, strict=True)}
            with write(Right.SYSTEM) as session:
                db.proposing.store_query_vectors(session, version.id, rows)


def _embed_examples(version: ModelVersion, embedder: Embedder) -> None:
    with read() as session:
        sentences = sentences_of(topic_now(session).rules.examples)
        missing = sorted({*sentences} - example_vectors(session, version, sentences).keys())
    if missing:
        rows = {
            sentence_key(version, sentence): vector.tobytes()
            for sentence, vector in zip(missing, embedder(missing), strict=True)
        }
        with write(Right.SYSTEM) as session:
            db.proposing.store_query_vectors(session, version.id, rows)
