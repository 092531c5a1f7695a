"""Articles that a reader has not read as they are now."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from db.base import AnySelect
from db.curation.removals import kept
from db.tables import Article, ArticleScan


def not_read(selected: AnySelect, scan: type[ArticleScan], version: str) -> AnySelect:
    """Restricts a selection from article to those that this version of a reader has not read, or that grew since."""
    return selected.outerjoin(scan, scan.article_id == Article.id).where(
        kept(Article.id),
        or_(scan.article_id.is_(None), scan.version != version, scan.sentence_count != Article.sentence_count),
    )


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
        query = not_read(selected, self.scan, self.version).where(Article.sentence_count > 0)
        return query if article_ids is None else query.where(Article.id.in_(article_ids))
