"""The list of articles as the page shows it: what its filters find, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Select, exists, false, func, or_, select
from sqlalchemy.orm import Session

from db.curation.removals import kept, removed
from db.curation.tags import tagged
from db.tables import Article, DocumentLabel

LONGEST_SEARCH = 1_000  # characters; no title is longer, and SQLite refuses a pattern of 50,000


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which articles: words of the title or a whole PMID, PMCID or DOI, with document labels or without, with a tag;
    of those in the project, or of removed ones alone. Empty: all that are in."""

    search: str = ""
    labelled: bool | None = None
    tag: str = ""
    removed: bool = False


def _matching(wanted: Wanted) -> Select[Article]:
    found = select(Article).where((removed if wanted.removed else kept)(Article.id))
    if wanted.search:
        term = wanted.search.strip()
        if len(term) > LONGEST_SEARCH or "\0" in term:
            return found.where(false())
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
    """How many articles the filters find."""
    return session.scalar(select(func.count()).select_from(_matching(wanted).subquery())) or 0


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
