"""Embeddings and the proposals made from them."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import and_, delete, func, insert, select
from sqlalchemy.orm import Session

import db.rows
from db.base import AnySelect, changed_rows, tuples
from db.curation import kept, present, without
from db.tables import Article, Embedding, Proposal, ProposalSet, QueryEmbedding, Sentence, Verdict
from db.values import LIVE_RANKING


def _to_embed(selected: AnySelect, version_id: int, article_ids: Collection[int] | None) -> AnySelect:
    """Restricts a selection from article to those whose embeddings are missing or outdated."""
    query = without(selected, Embedding, Embedding.version_id == version_id).where(Article.sentence_count > 0)
    return query if article_ids is None else query.where(Article.id.in_(article_ids))


def articles_to_embed(
    session: Session, version_id: int, article_ids: Collection[int] | None = None, *, limit: int, after: int = 0
) -> list[tuple[int, int]]:
    """(article id, sentence count) of the next articles without present embeddings under this version."""
    query = _to_embed(select(Article.id, Article.sentence_count), version_id, article_ids).where(Article.id > after)
    return tuples(session.execute(query.order_by(Article.id).limit(limit)))


def count_sentences_to_embed(session: Session, version_id: int, article_ids: Collection[int] | None = None) -> int:
    """How many sentences those articles have in all."""
    query = _to_embed(select(func.sum(Article.sentence_count)), version_id, article_ids)
    return session.scalar(query) or 0


def store_embeddings(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Stores the embeddings of some articles, or in which file they are, in place of outdated ones."""
    whole = [{"vectors": b"", "file": None, "sha256": None, **row} for row in rows]
    db.rows.put(session, Embedding, whole)


def embedding_files(session: Session, version_id: int) -> list[str]:
    """The names of the files next to the database that hold embeddings of a version."""
    query = select(Embedding.file).where(Embedding.version_id == version_id, Embedding.file.is_not(None)).distinct()
    return list(session.scalars(query))


def forget_files(session: Session, version_id: int, files: Sequence[str]) -> int:
    """Takes what lay in these files for missing; returns how many articles that are."""
    return changed_rows(session, delete(Embedding).where(Embedding.version_id == version_id, Embedding.file.in_(files)))


def embeddings(session: Session, version_id: int, article_ids: Sequence[int]) -> dict[int, Embedding]:
    """Stored embeddings of some articles that fit the article's present sentences, by article."""
    found = session.scalars(
        select(Embedding)
        .join(Article, Article.id == Embedding.article_id)
        .where(
            Embedding.version_id == version_id,
            Embedding.article_id.in_(article_ids),
            Embedding.sentence_count == Article.sentence_count,
        )
    )
    return {row.article_id: row for row in found}


def embedded_counts(session: Session, version_id: int) -> dict[int, int]:
    """How many sentences each article has that is embedded under a version as it is now."""
    found = present(Embedding, Embedding.article_id, Embedding.sentence_count)
    return dict(session.execute(found.where(Embedding.version_id == version_id)).all())


def query_vectors(session: Session, version_id: int, queries: Sequence[str]) -> dict[str, bytes]:
    """The stored vectors, by query, of the queries that were embedded under this version."""
    rows = session.execute(
        select(QueryEmbedding.query, QueryEmbedding.vector).where(
            QueryEmbedding.version_id == version_id, QueryEmbedding.query.in_(queries)
        )
    )
    return dict(rows.all())


def store_query_vectors(session: Session, version_id: int, vectors: dict[str, bytes]) -> None:
    """Stores query vectors, known ones left as they are."""
    rows = [{"version_id": version_id, "query": query, "vector": vector} for query, vector in vectors.items()]
    db.rows.add_new(session, QueryEmbedding, rows)


def remove_embeddings(session: Session, version_id: int) -> None:
    """Removes all that was embedded under a version, sentences and queries."""
    for table in (Embedding, QueryEmbedding):
        session.execute(delete(table).where(table.version_id == version_id))


def insert_proposals(
    session: Session, sets: Sequence[dict[str, Any]], proposals: Sequence[Sequence[dict[str, Any]]]
) -> None:
    """Inserts proposal sets with their proposals (rank, sentence_id, score, cosine), in step."""
    inserted = insert(ProposalSet).returning(ProposalSet.id, sort_by_parameter_order=True)
    numbers = session.scalars(inserted, sets).all()
    rows = [{"set_id": number, **row} for number, ranked in zip(numbers, proposals, strict=True) for row in ranked]
    db.rows.add_all(session, Proposal, rows)


def current_set(session: Session, article_id: int) -> ProposalSet | None:
    """The latest proposal set of an article."""
    return current_sets(session, [article_id]).get(article_id)


def current_sets(session: Session, article_ids: Sequence[int]) -> dict[int, ProposalSet]:
    """The latest proposal set of each of some articles."""
    latest = db.rows.latest_ids(ProposalSet, ProposalSet.article_id).where(ProposalSet.article_id.in_(article_ids))
    return {row.article_id: row for row in session.scalars(select(ProposalSet).where(ProposalSet.id.in_(latest)))}


def set_of(session: Session, article_id: int, set_id: int | None) -> int | None:
    """The id, if it is a proposal set's of this article; else None."""
    if set_id is None:
        return None
    return session.scalar(select(ProposalSet.id).where(ProposalSet.id == set_id, ProposalSet.article_id == article_id))


def latest_fixed_set(session: Session, article_id: int) -> int:
    """The id of an article's latest set that no verdict of a visit made, 0 where it has none."""
    query = select(func.max(ProposalSet.id)).where(ProposalSet.article_id == article_id)
    return session.scalar(query.where(ProposalSet.ranking != LIVE_RANKING)) or 0


def proposals(session: Session, set_id: int) -> list[tuple[Proposal, int]]:
    """(proposal, sentence position) of a set by rank."""
    rows = session.execute(
        select(Proposal, Sentence.position)
        .join(Sentence, Sentence.id == Proposal.sentence_id)
        .where(Proposal.set_id == set_id)
        .order_by(Proposal.rank)
    )
    return tuples(rows)


def shown_first(session: Session) -> list[tuple[int, int, float, int]]:
    """(article id, sentence position, score, version id) of the current proposals of all articles that are shown at
    first, by article and rank."""
    latest = db.rows.latest_ids(ProposalSet, ProposalSet.article_id)
    rows = session.execute(
        select(ProposalSet.article_id, Sentence.position, Proposal.score, ProposalSet.version_id)
        .join(Proposal, and_(Proposal.set_id == ProposalSet.id, Proposal.rank <= ProposalSet.k))
        .join(Sentence, Sentence.id == Proposal.sentence_id)
        .where(ProposalSet.id.in_(latest))
        .order_by(ProposalSet.article_id, Proposal.rank)
    )
    return tuples(rows)


def articles_after(session: Session, article_id: int, *, limit: int) -> list[int]:
    """The next article ids with sentences, for a pass over all articles."""
    return list(
        session.scalars(
            select(Article.id)
            .where(Article.id > article_id, Article.sentence_count > 0, kept(Article.id))
            .order_by(Article.id)
            .limit(limit)
        )
    )


def unjudged(session: Session, *, limit: int) -> list[int]:
    """The first article ids with sentences of which none was judged."""
    judged = select(Sentence.article_id).join(Verdict, Verdict.sentence_id == Sentence.id)
    query = select(Article.id).where(Article.sentence_count > 0, kept(Article.id), Article.id.not_in(judged))
    return list(session.scalars(query.order_by(Article.id).limit(limit)))


def count_to_propose(session: Session, version_id: int) -> int:
    """How many articles with text hold no proposals, or another version's."""
    latest = db.rows.latest_ids(ProposalSet, ProposalSet.article_id)
    fresh = select(ProposalSet.article_id).where(ProposalSet.id.in_(latest), ProposalSet.version_id == version_id)
    query = select(func.count()).select_from(Article)
    waiting = (Article.sentence_count > 0, Article.id.not_in(fresh), kept(Article.id))
    return session.scalar(query.where(*waiting)) or 0


def count_proposed(session: Session) -> int:
    """How many articles hold proposals."""
    query = select(func.count(func.distinct(ProposalSet.article_id))).where(kept(ProposalSet.article_id))
    return session.scalar(query) or 0
