"""What sentences do, and the functions that the team named itself."""

from collections.abc import Collection, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

import db.rows
from db.base import tuples
from db.curation import Unread, kept, present
from db.tables import Article, ArticleRoles, FunctionExample, OwnFunction, Sentence

Stored = tuple[int, int, bytes, bytes]  # article id, sentences, roles, vectors


def unread(version: str) -> Unread:
    """The articles that were never read, that another version read, or that grew since."""
    return Unread(ArticleRoles, version)


def roles(session: Session, article_id: int) -> tuple[int, bytes] | None:
    """(sentences, roles) of an article; None where it was not read as it is now."""
    query = present(ArticleRoles, ArticleRoles.sentence_count, ArticleRoles.roles).where(Article.id == article_id)
    found = session.execute(query).one_or_none()
    return (found[0], found[1]) if found else None


def read_ids(session: Session, article_ids: Collection[int] | None = None) -> list[int]:
    """The articles of these, or of all, that were read as they are now, by id."""
    query = present(ArticleRoles, ArticleRoles.article_id).order_by(ArticleRoles.article_id)
    if article_ids is not None:
        query = query.where(ArticleRoles.article_id.in_(article_ids))
    return list(session.scalars(query))


def of_articles(session: Session, article_ids: Collection[int] | None = None) -> list[Stored]:
    """The stored roles of these articles, or all, by id; articles that grew since are left out."""
    columns = (ArticleRoles.article_id, ArticleRoles.sentence_count)
    query = present(ArticleRoles, *columns, ArticleRoles.roles, ArticleRoles.vectors).order_by(ArticleRoles.article_id)
    if article_ids is not None:
        query = query.where(ArticleRoles.article_id.in_(article_ids))
    return tuples(session.execute(query))


def roles_of_articles(session: Session, article_ids: Collection[int]) -> list[tuple[int, str, int, bytes]]:
    """(article id, version, sentences, roles) of the given articles that have been read with their present text."""
    columns = (ArticleRoles.article_id, ArticleRoles.version, ArticleRoles.sentence_count)
    query = present(ArticleRoles, *columns, ArticleRoles.roles).where(ArticleRoles.article_id.in_(article_ids))
    return tuples(session.execute(query))


def readers(session: Session, article_ids: Collection[int]) -> dict[int, str]:
    """The version that read each of them as it is now."""
    query = present(ArticleRoles, ArticleRoles.article_id, ArticleRoles.version)
    return dict(session.execute(query.where(ArticleRoles.article_id.in_(article_ids))).all())


def read_by(session: Session, version: str) -> list[tuple[int, str, int]]:
    """(article id, when it was imported, sentences) of those that a version read as they are now, by id."""
    query = present(ArticleRoles, ArticleRoles.article_id, Article.imported_at, ArticleRoles.sentence_count)
    rows = session.execute(query.where(ArticleRoles.version == version).order_by(ArticleRoles.article_id))
    return tuples(rows)


def read_since(session: Session, when: str) -> list[int]:
    """The articles that were read at that time or later, by id."""
    query = select(ArticleRoles.article_id).where(ArticleRoles.computed_at >= when)
    return list(session.scalars(query.order_by(ArticleRoles.article_id)))


def versions(session: Session) -> dict[str, int]:
    """How many articles each version has read."""
    query = select(ArticleRoles.version, func.count()).group_by(ArticleRoles.version)
    return dict(session.execute(query).all())


def own_functions(session: Session) -> Sequence[OwnFunction]:
    """The functions that were named, in the order of their names."""
    return session.scalars(select(OwnFunction).order_by(func.lower(OwnFunction.name), OwnFunction.id)).all()


def examples(session: Session, function_id: int) -> list[tuple[int, int, int, bool, str, str]]:
    """(sentence id, article id, position, has it, by whom, when): the latest of each sentence, in order of time."""
    of_function = FunctionExample.function_id == function_id
    latest = db.rows.latest_ids(FunctionExample, FunctionExample.sentence_id).where(of_function)
    query = (
        select(
            Sentence.id,
            Sentence.article_id,
            Sentence.position,
            FunctionExample.has_it,
            FunctionExample.said_by,
            FunctionExample.said_at,
        )
        .join(Sentence, Sentence.id == FunctionExample.sentence_id)
        .where(FunctionExample.id.in_(latest), kept(Sentence.article_id))
        .order_by(FunctionExample.id)
    )
    return tuples(session.execute(query))
