"""Which articles are in, their tags, the list of them as the page shows it, and which were read as they are now.

Removed ones stay stored with all that was said of them, and count nowhere. `kept` is the one condition: every query
over all articles asks it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, and_, exists, false, func, inspect, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

import db.rows
from db.base import AnySelect, Columns, grouped, tuples
from db.tables import Article, ArticleRemoval, ArticleScan, ArticleTag, DocumentLabel

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


def tagged(tag: str) -> Select[int]:
    """The articles that bear a tag now, removed ones too."""
    latest = db.rows.latest_ids(ArticleTag, ArticleTag.article_id).where(ArticleTag.tag == tag)
    return select(ArticleTag.article_id).where(ArticleTag.id.in_(latest), ArticleTag.is_set)


def tagged_ids(session: Session, tag: str) -> set[int]:
    """The ids of the articles that bear a tag now, removed ones too."""
    return set(session.scalars(tagged(tag)))


def tags_of(session: Session, article_ids: Collection[int]) -> dict[int, list[str]]:
    """The tags of each of some articles, in the order in which they came; none of those without."""
    query = select(ArticleTag.article_id, ArticleTag.tag, ArticleTag.is_set, ArticleTag.id).order_by(ArticleTag.id)
    rows = rows_of_some(session, query, ArticleTag.article_id, article_ids)
    latest = {(article_id, tag): (number, is_set) for article_id, tag, is_set, number in rows}
    borne = sorted((number, *which) for which, (number, is_set) in latest.items() if is_set)
    return grouped((article_id, tag) for _, article_id, tag in borne)


def tags_in_use(session: Session) -> dict[str, int]:
    """How many articles of the project bear each tag, by tag in the order of the alphabet."""
    latest = db.rows.latest_ids(ArticleTag, ArticleTag.article_id, ArticleTag.tag)
    number = func.count()
    rows = session.execute(
        select(ArticleTag.tag, number)
        .where(ArticleTag.id.in_(latest), ArticleTag.is_set, kept(ArticleTag.article_id))
        .group_by(ArticleTag.tag)
    )
    return dict(sorted(((tag, count) for tag, count in rows), key=lambda pair: (pair[0].casefold(), pair[0])))


def known_tags(session: Session) -> list[str]:
    """Every tag that was ever used, as it was first spelled."""
    return list(session.scalars(select(ArticleTag.tag).group_by(ArticleTag.tag).order_by(func.min(ArticleTag.id))))


LONGEST_SEARCH = 1_000  # characters; no title is longer


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which articles: words of the title or a whole PMID, PMCID or DOI, with document labels or without, with a tag;
    of those in the project, or only of removed ones. Empty: all that are in."""

    search: str = ""
    labelled: bool | None = None
    tag: str = ""
    removed: bool = False


def _matching(wanted: Wanted) -> Select[Article]:
    found = select(Article).where((removed if wanted.removed else kept)(Article.id))
    if "\0" in wanted.search + wanted.tag or len(wanted.search.strip()) > LONGEST_SEARCH:
        return found.where(false())  # PostgreSQL takes no NUL, and SQLite no pattern of that length
    if wanted.search:
        term = wanted.search.strip()
        escaped = term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        found = found.where(
            or_(
                Article.title.ilike(f"%{escaped}%", escape="\\"),
                Article.pmid == term,
                Article.pmcid == term.upper(),
                Article.doi == term.lower(),
            )
        )
    if wanted.labelled is not None:
        has = exists().where(DocumentLabel.article_id == Article.id)
        found = found.where(has if wanted.labelled else ~has)
    return found.where(Article.id.in_(tagged(wanted.tag))) if wanted.tag else found


def count_listed(session: Session, wanted: Wanted = Wanted()) -> int:
    """How many articles the filters find; of all in the project without any."""
    return session.scalar(_matching(wanted).with_only_columns(func.count(Article.id))) or 0


def page_of_articles(
    session: Session, wanted: Wanted = Wanted(), *, offset: int = 0, limit: int = 50
) -> Sequence[Article]:
    """One page of them, newest import first."""
    return session.scalars(_matching(wanted).order_by(Article.id.desc()).offset(offset).limit(limit)).all()


def listed_ids(session: Session, wanted: Wanted = Wanted()) -> list[int]:
    """The ids of all of them, newest import first."""
    found = _matching(wanted).with_only_columns(Article.id).order_by(Article.id.desc())
    return list(session.scalars(found))


def articles_after(session: Session, after: int, limit: int, wanted: Wanted = Wanted()) -> Sequence[Article]:
    """The first of them with a higher id, by id."""
    return session.scalars(_matching(wanted).where(Article.id > after).order_by(Article.id).limit(limit)).all()


def without(selected: AnySelect, made: Any, *of_version: ColumnElement[bool]) -> AnySelect:
    """Restricts a selection of articles: a table has no row of a version for them, or they grew since."""
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
