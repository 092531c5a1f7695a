"""What was made of articles, as far as it is of their present text: which articles lack it, and which have it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from db.base import AnySelect
from db.curation import kept
from db.tables import Article, ArticleScan


def without(selected: AnySelect, made: Any, *of_version: ColumnElement[bool]) -> AnySelect:
    """Restricts a selection from article to those of which a table has no row of a version, or that grew since."""
    return selected.outerjoin(made, and_(made.article_id == Article.id, *of_version)).where(
        kept(Article.id), or_(made.article_id.is_(None), made.sentence_count != Article.sentence_count)
    )


def present(made: Any, *columns: Any) -> AnySelect:
    """Columns of what was made of articles of the project that did not grow since."""
    of_now = and_(Article.id == made.article_id, Article.sentence_count == made.sentence_count)
    return select(*columns).join(Article, of_now).where(kept(Article.id))


@dataclass(frozen=True, slots=True)
class Unread:
    """The articles with text that a version of a reader, of entities or of roles, has not read as they are now."""

    scan: type[ArticleScan]
    version: str

    def ids(
        self,
        session: Session,
        article_ids: Collection[int] | None = None,
        *,
        limit: int,
        before: int | None = None,
    ) -> list[int]:
        """The ids of such articles, of these or of all, the newest first. `before`: only lower ids."""
        query = self._of(select(Article.id), article_ids)
        if before is not None:
            query = query.where(Article.id < before)
        return list(session.scalars(query.order_by(Article.id.desc()).limit(limit)))

    def count(self, session: Session, article_ids: Collection[int] | None = None) -> int:
        """The number of such articles, of these or of all."""
        return session.scalar(self._of(select(func.count(Article.id)), article_ids)) or 0

    def _of(self, selected: AnySelect, article_ids: Collection[int] | None) -> AnySelect:
        query = without(selected, self.scan, self.scan.version == self.version).where(Article.sentence_count > 0)
        return query if article_ids is None else query.where(Article.id.in_(article_ids))
