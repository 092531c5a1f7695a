"""What the head sees of each article's sentences under a version, made once and read often; heads, and rankings."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from db.base import table_of
from db.curation import present
from db.tables import ArticleFeatures, Head, Ranker


def _current(version_id: int, *columns: Any) -> Any:
    return present(ArticleFeatures, *columns).where(ArticleFeatures.version_id == version_id)


def inputs(session: Session, version_id: int, article_ids: Collection[int]) -> dict[int, str]:
    """The hash of the sources of the stored rows of some articles, by article."""
    found = select(ArticleFeatures.article_id, ArticleFeatures.inputs_sha256).where(
        ArticleFeatures.version_id == version_id, ArticleFeatures.article_id.in_(article_ids)
    )
    return dict(session.execute(found).all())


def article_ids(session: Session, version_id: int) -> list[int]:
    """The articles that have rows which fit their present sentences, by id."""
    return list(session.scalars(_current(version_id, ArticleFeatures.article_id).order_by(ArticleFeatures.article_id)))


def rows(session: Session, version_id: int, article_ids: Collection[int]) -> dict[int, tuple[int, bytes]]:
    """(sentences, all rows) of some articles, by article; those whose rows do not fit their sentences are left out."""
    query = _current(version_id, ArticleFeatures.article_id, ArticleFeatures.sentence_count, ArticleFeatures.rows)
    found = session.execute(query.where(ArticleFeatures.article_id.in_(article_ids)))
    return {article_id: (sentences, stored) for article_id, sentences, stored in found}


def tops(
    session: Session, version_id: int, article_ids: Collection[int] | None = None
) -> Sequence[tuple[int, bytes, bytes]]:
    """(article id, top, top rows) of these articles, or all, by id; reads none of the full rows."""
    query = _current(version_id, ArticleFeatures.article_id, ArticleFeatures.top, ArticleFeatures.top_rows)
    if article_ids is not None:
        query = query.where(ArticleFeatures.article_id.in_(article_ids))
    return session.execute(query.order_by(ArticleFeatures.article_id)).all()


def change_tops(session: Session, version_id: int, changed: Sequence[dict[str, Any]]) -> None:
    """Replaces the best sentences of some articles: each change names the article in `of`, and its top and top_rows."""
    table = table_of(ArticleFeatures)
    statement = (
        update(table)
        .where(table.c.version_id == version_id, table.c.article_id == bindparam("of"))
        .values(top=bindparam("top"), top_rows=bindparam("top_rows"))
    )
    session.connection().execute(statement, list(changed))


def latest_ranker(session: Session, version_id: int, *, until: str | None = None) -> Ranker | None:
    """The newest ranker of a version, or the one that was newest at a time (ISO 8601 in UTC)."""
    query = select(Ranker).where(Ranker.version_id == version_id)
    if until is not None:
        query = query.where(Ranker.created_at <= until)
    return session.scalars(query.order_by(Ranker.id.desc()).limit(1)).first()


def latest_base(session: Session, version_id: int) -> Head | None:
    """The newest head of a version on which later heads build: its counts say "base"."""
    return session.scalar(
        select(Head)
        .where(Head.version_id == version_id, Head.counts["base"].as_boolean())
        .order_by(Head.id.desc())
        .limit(1)
    )
