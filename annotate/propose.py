"""Proposals: the top k sentences of each article, ranked from stored embeddings in milliseconds, without torch."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.proposals
from annotate.home import read, write
from annotate.labels import Labels, labels_of, terms_of
from annotate.versions import proposing_version
from db.articles import SentenceText
from db.tables import Embedding, ModelVersion, ProposalSet
from model.query import query_for
from model.ranking import RANKINGS, Pool, Ranking, top_k

DEFAULT_K = 5
# How much the cosine counts beside the terms in the hybrid ranking: a fine-tuned encoder has earned more of it.
# Cross-validated over 49 articles: 0.25 against 1.0 gives ARP .968 and .956 before, .952 and 1.000 after
# fine-tuning (tests/measure_training.py).
COSINE_WEIGHT = 0.25
COSINE_WEIGHT_FINE_TUNED = 1.0
BATCH_ARTICLES = 50


class NotEmbedded(LookupError):
    """An article or query without stored embedding under this version; the propose job makes it."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One article's sentences with their scores and cosines, shape (n,), and what they were ranked by."""

    sentences: Sequence[SentenceText]
    scores: np.ndarray
    cosines: np.ndarray
    query: str


def query_of(version: ModelVersion, labels: Labels) -> str:
    """The query that this version embeds for an article with these document labels."""
    return query_for(terms_of(labels), own_query=version.query)


def vectors_of(embedding: Embedding) -> np.ndarray:
    """The stored embeddings of an article as float32, shape (sentences, dimension), unit length."""
    return np.frombuffer(embedding.vectors, dtype=np.float16).reshape(embedding.sentence_count, -1).astype(np.float32)


def rank_articles(
    session: Session, version: ModelVersion, ranking: Ranking, article_ids: Sequence[int], *, skip: bool = False
) -> dict[int, Ranked]:
    """Ranks all sentences of some articles. Where an embedding is missing it raises NotEmbedded, or may skip."""
    labels = labels_of(session, article_ids)
    queries = {article_id: query_of(version, labels[article_id]) for article_id in article_ids}
    vectors = db.proposals.query_vectors(session, version.id, list(set(queries.values())))
    embeddings = db.proposals.embeddings(session, version.id, article_ids)
    by_article: dict[int, list[SentenceText]] = {article_id: [] for article_id in article_ids}
    for sentence in db.articles.sentences(session, article_ids):
        by_article[sentence.article_id].append(sentence)
    ranked = {}
    for article_id, sentences in by_article.items():
        query = queries[article_id]
        if query not in vectors or (sentences and article_id not in embeddings):
            if skip:
                continue
            raise NotEmbedded(f"article {article_id} is not embedded under {version.name}")
        cosines = np.zeros(0, dtype=np.float32)
        if sentences:
            cosines = vectors_of(embeddings[article_id]) @ np.frombuffer(vectors[query], dtype=np.float32)
        pool = Pool(
            sentences=[s.text for s in sentences],
            cosines=cosines,
            terms=terms_of(labels[article_id]),
            sections=[s.section_kind for s in sentences],
            paragraphs=[s.paragraph_kind for s in sentences],
            cosine_weight=COSINE_WEIGHT_FINE_TUNED if version.parent_id else COSINE_WEIGHT,
        )
        ranked[article_id] = Ranked(sentences, RANKINGS[ranking](pool), cosines, query)
    return ranked


def propose(
    *,
    version: ModelVersion | None = None,
    ranking: Ranking = Ranking.HYBRID,
    k: int = DEFAULT_K,
    article_ids: Sequence[int] | None = None,
    progress: Callable[[int], None] = lambda done: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> int:
    """Proposes anew for these articles, or all; returns how many got another proposal set than before.

    A set that would equal the current one is not stored again. Raises NotEmbedded for one of these articles; in a
    pass over all, articles that came or changed since the embedding are left for the next pass.
    """
    version = version or proposing_version()
    changed = done = 0
    for batch in article_batches(article_ids, BATCH_ARTICLES):
        if cancelled():
            break
        with read() as session:
            ranked = rank_articles(session, version, ranking, batch, skip=article_ids is None)
            current = db.proposals.current_sets(session, batch)
            known = {
                article_id: [(p.sentence_id, p.rank) for p, _ in db.proposals.proposals(session, found.id)]
                for article_id, found in current.items()
                if _same_settings(found, version, ranking, ranked[article_id].query, k)
            }
        sets, rows = [], []
        for article_id, result in ranked.items():
            proposals = _top(result, k)
            if known.get(article_id) == [(row["sentence_id"], row["rank"]) for row in proposals]:
                continue
            values = {"version_id": version.id, "ranking": str(ranking), "query": result.query, "k": k}
            sets.append({"article_id": article_id, **values})
            rows.append(proposals)
        if sets:
            with write() as session:
                db.proposals.insert_proposals(session, sets, rows)
        changed += len(sets)
        done += len(batch)
        progress(done)
    return changed


def article_batches(article_ids: Sequence[int] | None, size: int) -> Iterator[Sequence[int]]:
    """These article ids, or those of all articles with sentences, in batches."""
    if article_ids is not None:
        yield from (article_ids[start : start + size] for start in range(0, len(article_ids), size))
        return
    last = 0
    while True:
        with read() as session:
            batch = db.proposals.articles_after(session, last, limit=size)
        if not batch:
            return
        yield batch
        last = batch[-1]


def _same_settings(found: ProposalSet, version: ModelVersion, ranking: str, query: str, k: int) -> bool:
    return (found.version_id, found.ranking, found.query, found.k) == (version.id, ranking, query, k)


def _top(result: Ranked, k: int) -> list[dict[str, float | int]]:
    return [
        {
            "rank": number,
            "sentence_id": result.sentences[index].id,
            "score": float(result.scores[index]),
            "cosine": float(result.cosines[index]),
        }
        for number, index in enumerate(top_k(result.scores, k), start=1)
    ]
