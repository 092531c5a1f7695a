"""Vectors of articles' titles and abstracts, one row an article and version."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from db.base import AnySelect, insert_or, tuples
from db.curation.removals import kept, last_removal
from db.tables import Article, ArticleVector


def outdated(
    session: Session, version_id: int, *, after: int = 0, limit: int
) -> list[tuple[int, str, int, str | None]]:
    """(id, title, sentences, SHA-256 of the text encoded before, if any) of the next articles by id that have no vector
    of this version, or grew since they got it."""
    columns = select(Article.id, Article.title, Article.sentence_count, ArticleVector.text_sha256)
    found = _outdated(columns, version_id).where(Article.id > after).order_by(Article.id).limit(limit)
    return tuples(session.execute(found))


def count_outdated(session: Session, version_id: int) -> int:
    """The number of articles that have no vector of this version, or grew since they got it."""
    return session.scalar(_outdated(select(func.count(Article.id)), version_id)) or 0


def _outdated(selected: AnySelect, version_id: int) -> AnySelect:
    own = and_(ArticleVector.article_id == Article.id, ArticleVector.version_id == version_id)
    return selected.outerjoin(ArticleVector, own).where(
        kept(Article.id),
        or_(ArticleVector.article_id.is_(None), ArticleVector.sentence_count != Article.sentence_count),
    )


def store(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Stores the vectors of some articles, in place of those that they had of the version."""
    statement = insert_or(session, ArticleVector)
    replaced = {name: statement.excluded[name] for name in ("sentence_count", "text_sha256", "vector")}
    session.execute(
        statement.on_conflict_do_update(index_elements=["version_id", "article_id"], set_=replaced), list(rows)
    )


def still(session: Session, version_id: int, sentence_counts: Collection[tuple[int, int]]) -> None:
    """Notes that articles, each (id, sentences), grew but that their encoded text stayed the same."""
    for article_id, count in sentence_counts:
        row = session.get(ArticleVector, (version_id, article_id))
        if row is not None:
            row.sentence_count = count


def mark(session: Session, version_id: int) -> tuple[int, int, int]:
    """(vectors of a version, sentences of their articles, last removal of an article): changes whenever a vector is
    stored or replaced, or its article leaves or comes back."""
    counted = select(func.count(), func.coalesce(func.sum(ArticleVector.sentence_count), 0))
    number, sentences = session.execute(counted.where(ArticleVector.version_id == version_id)).one()
    return number, sentences, last_removal(session)


def vectors(session: Session, version_id: int) -> list[tuple[int, str, bytes]]:
    """(article id, its key, its vector) of all articles of the project that have one of this version, by id."""
    found = (
        select(ArticleVector.article_id, Article.key, ArticleVector.vector)
        .join(Article, Article.id == ArticleVector.article_id)
        .where(ArticleVector.version_id == version_id, kept(ArticleVector.article_id))
        .order_by(ArticleVector.article_id)
    )
    return tuples(session.execute(found))
