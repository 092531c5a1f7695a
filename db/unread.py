"""Articles with text that a reader, of entities or of roles, has not read as they are now."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from db.base import AnySelect
from db.curation.removals import kept
from db.tables import Article, ArticleFunctions, EntityScan


@dataclass(frozen=True, slots=True)
class Unread:
    """The articles without a row in a table of what was read, and the articles whose row is `outdated`."""

    table: type[EntityScan] | type[ArticleFunctions]
    outdated: ColumnElement[bool]

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
        row = self.table.article_id
        query = selected.outerjoin(self.table, row == Article.id)
        query = query.where(kept(Article.id), Article.sentence_count > 0, or_(row.is_(None), self.outdated))
        return query if article_ids is None else query.where(Article.id.in_(article_ids))
