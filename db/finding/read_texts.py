"""What a version made of articles' titles and abstracts: their vectors, or the words that they would be asked for."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from db.base import AnySelect, insert_or_replace, tuples
from db.curation.removals import chunks, kept, last_removal
from db.tables import Article, ArticleVector, PseudoQuery

Table = type[ArticleVector | PseudoQuery]  # one row an article and version in either


def outdated(
    session: Session, table: Table, version_id: int, *, after: int = 0, limit: int
) -> list[tuple[int, str, int, str | None]]:
    """(id, title, sentences, SHA-256 of the text read before, if any) of the next articles by id that have no row of
    this version, or grew since they got it."""
    columns = select(Article.id, Article.title, Article.sentence_count, table.text_sha256)
    found = _outdated(columns, table, version_id).where(Article.id > after).order_by(Article.id).limit(limit)
    return tuples(session.execute(found))


def count_outdated(session: Session, table: Table, version_id: int) -> int:
    """The number of articles that have no row of this version, or grew since they got it."""
    return session.scalar(_outdated(select(func.count(Article.id)), table, version_id)) or 0


def _outdated(selected: AnySelect, table: Table, version_id: int) -> AnySelect:
    own = and_(table.article_id == Article.id, version_of(table) == version_id)
    return selected.outerjoin(table, own).where(
        kept(Article.id), or_(table.article_id.is_(None), table.sentence_count != Article.sentence_count)
    )


def version_of(table: Table) -> InstrumentedAttribute[int]:
    """The column that names the version which made a row."""
    return table.model_id if issubclass(table, PseudoQuery) else table.version_id


def store(session: Session, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Stores the rows of some articles, in place of those that they had of the version."""
    insert_or_replace(session, table, rows)


def still(session: Session, table: Table, version_id: int, sentence_counts: Collection[tuple[int, int]]) -> None:
    """Notes that articles, each (id, sentences), grew but that the text read of them stayed the same."""
    for article_id, count in sentence_counts:
        own = (version_of(table) == version_id, table.article_id == article_id)
        session.execute(update(table).where(*own).values(sentence_count=count))


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


def words(session: Session, version_id: int, article_ids: Collection[int]) -> dict[int, list[str]]:
    """The words of these articles by this version, by article; those without any row are left out."""
    found: dict[int, list[str]] = {}
    for some in chunks(article_ids):
        query = select(PseudoQuery.article_id, PseudoQuery.words)
        query = query.where(PseudoQuery.model_id == version_id, PseudoQuery.article_id.in_(some))
        found |= dict(tuples(session.execute(query)))
    return found
