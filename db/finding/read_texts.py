"""What a version made of articles' titles and abstracts: their vectors."""

from collections.abc import Collection

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from db.base import AnySelect, tuples
from db.curation import kept, last_removal, without
from db.tables import Article, ReadText


def outdated(
    session: Session, version_id: int, *, after: int = 0, limit: int
) -> list[tuple[int, str, int, str | None]]:
    """(id, title, sentences, SHA-256 of the text read before) of the next articles that `_outdated` selects."""
    columns = select(Article.id, Article.title, Article.sentence_count, ReadText.text_sha256)
    found = _outdated(columns, version_id).where(Article.id > after).order_by(Article.id).limit(limit)
    return tuples(session.execute(found))


def count_outdated(session: Session, version_id: int) -> int:
    """The number of articles that have no row of this version, or grew since they got it."""
    return session.scalar(_outdated(select(func.count(Article.id)), version_id)) or 0


def _outdated(selected: AnySelect, version_id: int) -> AnySelect:
    return without(selected, ReadText, ReadText.version_id == version_id)


def still(session: Session, version_id: int, sentence_counts: Collection[tuple[int, int]]) -> None:
    """Notes that articles, each (id, sentences), grew but that the text read of them stayed the same."""
    for article_id, count in sentence_counts:
        own = (ReadText.version_id == version_id, ReadText.article_id == article_id)
        session.execute(update(ReadText).where(*own).values(sentence_count=count))


def mark(session: Session, version_id: int) -> tuple[int, int, int]:
    """(rows of a version, sentences of their articles, last removal of an article): changes whenever a row is
    stored or replaced, or its article leaves or comes back."""
    counted = select(func.count(), func.coalesce(func.sum(ReadText.sentence_count), 0))
    number, sentences = session.execute(counted.where(ReadText.version_id == version_id)).one()
    return number, sentences, last_removal(session)


def made(session: Session, version_id: int) -> list[tuple[int, str, bytes]]:
    """(article id, its key, what was made) of all articles of the project that have a row of this version, by id."""
    found = (
        select(ReadText.article_id, Article.key, ReadText.made)
        .join(Article, Article.id == ReadText.article_id)
        .where(ReadText.version_id == version_id, kept(ReadText.article_id))
        .order_by(ReadText.article_id)
    )
    return tuples(session.execute(found))
