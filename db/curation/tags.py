"""Tags of articles: which hold, and how often each is used. Rows are only added."""

from collections.abc import Collection

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

import db.rows
from db.base import grouped
from db.curation.removals import kept, rows_of_some
from db.tables import ArticleTag


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
