"""Which articles are in: removed ones stay stored with all that was said of them, and count nowhere.

`kept` is the one condition: every query over all articles asks it.
"""

from collections.abc import Collection, Iterator
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, inspect, select
from sqlalchemy.orm import InstrumentedAttribute, Session

import db.rows
from db.base import Columns, tuples
from db.tables import Article, ArticleRemoval

CHUNK = 500  # ids in one statement
_Value = TypeVar("_Value", int, str, tuple[int, int])


def _removed() -> Select[int]:
    latest = db.rows.latest_ids(ArticleRemoval, ArticleRemoval.article_id)
    return select(ArticleRemoval.article_id).where(ArticleRemoval.id.in_(latest), ArticleRemoval.removed)


def kept(article_id: InstrumentedAttribute[int] | ColumnElement[int]) -> ColumnElement[bool]:
    """The condition that the article with this id is in the project."""
    return article_id.not_in(_removed())


def removed(article_id: InstrumentedAttribute[int] | ColumnElement[int]) -> ColumnElement[bool]:
    """The condition that it was removed and not taken back."""
    return article_id.in_(_removed())


def is_in(session: Session, article_id: int) -> bool:
    """Whether there is an article with this id in the project."""
    return session.scalar(select(Article.id).where(Article.id == article_id, kept(Article.id))) is not None


def removed_ids(session: Session) -> set[int]:
    """The articles that are removed now."""
    return set(session.scalars(_removed()))


def keys_of_kept(session: Session) -> dict[int, str]:
    """The keys of the articles in the project by id, also in a database that awaits its upgrade."""
    keys = select(Article.id, Article.key)
    if inspect(session.connection()).has_table(ArticleRemoval.__tablename__):
        keys = keys.where(kept(Article.id))
    return dict(session.execute(keys).all())


def last_removal(session: Session) -> int:
    """The id of the last row: changes whenever an article leaves or comes back. 0 where none ever did."""
    return db.rows.last_id(session, ArticleRemoval)


def changed_since(session: Session, removal_id: int) -> set[int]:
    """The articles that left or came back after this row."""
    return set(session.scalars(select(ArticleRemoval.article_id).where(ArticleRemoval.id > removal_id)))


def removals_of(session: Session, article_ids: Collection[int]) -> dict[int, ArticleRemoval]:
    """The removals of some articles that are removed now: who removed them, when and why."""
    query = select(ArticleRemoval).order_by(ArticleRemoval.id)
    latest = {row.article_id: row for (row,) in rows_of_some(session, query, ArticleRemoval.article_id, article_ids)}
    return {article_id: row for article_id, row in latest.items() if row.removed}


def rows_of_some(
    session: Session, query: Select[*Columns], column: InstrumentedAttribute[Any], values: Collection[_Value]
) -> list[tuple[*Columns]]:
    """The rows of a query where a column has one of these values, which are asked for few at a time, in order."""
    asked = (query.where(column.in_(some)) for some in chunks(values))
    return [row for one in asked for row in tuples(session.execute(one))]


def chunks(values: Collection[_Value]) -> Iterator[list[_Value]]:
    """Some ids, or keys, in order, few at a time."""
    ordered = sorted(values)
    yield from (ordered[start : start + CHUNK] for start in range(0, len(ordered), CHUNK))
