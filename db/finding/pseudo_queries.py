"""The words that articles would be asked for: one row an article and model."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from db.base import AnySelect, insert_or, tuples
from db.curation.removals import kept
from db.tables import Article, PseudoQuery

CHUNK = 500  # keys a statement


def outdated(session: Session, model_id: int, *, after: int = 0, limit: int) -> list[tuple[int, str, int, str | None]]:
    """(id, title, sentences, SHA-256 of the text read before, if any) of the next articles by id that have no words of
    this model, or grew since they got them."""
    columns = select(Article.id, Article.title, Article.sentence_count, PseudoQuery.text_sha256)
    found = _outdated(columns, model_id).where(Article.id > after).order_by(Article.id).limit(limit)
    return tuples(session.execute(found))


def count_outdated(session: Session, model_id: int) -> int:
    """The number of articles whose pseudo-queries are missing or out of date."""
    return session.scalar(_outdated(select(func.count(Article.id)), model_id)) or 0


def _outdated(selected: AnySelect, model_id: int) -> AnySelect:
    own = and_(PseudoQuery.article_id == Article.id, PseudoQuery.model_id == model_id)
    return selected.outerjoin(PseudoQuery, own).where(
        kept(Article.id), or_(PseudoQuery.article_id.is_(None), PseudoQuery.sentence_count != Article.sentence_count)
    )


def store(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Stores the words of some articles, in place of those that they had of the model."""
    statement = insert_or(session, PseudoQuery)
    replaced = {name: statement.excluded[name] for name in ("sentence_count", "text_sha256", "words")}
    session.execute(
        statement.on_conflict_do_update(index_elements=["model_id", "article_id"], set_=replaced), list(rows)
    )


def still(session: Session, model_id: int, sentence_counts: Collection[tuple[int, int]]) -> None:
    """Notes that articles, each (id, sentences), grew but that the text read of them stayed the same."""
    for article_id, count in sentence_counts:
        row = session.get(PseudoQuery, (model_id, article_id))
        if row is not None:
            row.sentence_count = count


def words(session: Session, model_id: int, article_ids: Collection[int]) -> dict[int, list[str]]:
    """The words of these articles by this model, by article; those without any row are left out."""
    wanted = sorted(article_ids)
    found: dict[int, list[str]] = {}
    for start in range(0, len(wanted), CHUNK):
        query = select(PseudoQuery.article_id, PseudoQuery.words).where(
            PseudoQuery.model_id == model_id, PseudoQuery.article_id.in_(wanted[start : start + CHUNK])
        )
        found |= dict(tuples(session.execute(query)))
    return found
