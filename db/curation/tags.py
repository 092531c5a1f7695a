"""Tags of articles: which hold, and how often each is used. Rows are only added."""

from collections.abc import Collection

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from db.curation.removals import chunks, kept
from db.tables import ArticleTag


def tagged(tag: str) -> Select[int]:
    """The articles that bear a tag now, removed ones too."""
    latest = select(func.max(ArticleTag.id)).where(ArticleTag.tag == tag).group_by(ArticleTag.article_id)
    return select(ArticleTag.article_id).where(ArticleTag.id.in_(latest), ArticleTag.is_set)


def tagged_ids(session: Session, tag: str) -> set[int]:
    """The ids of the articles that bear a tag now, removed ones too."""
    return set(session.scalars(tagged(tag)))


def tags_of(session: Session, article_ids: Collection[int]) -> dict[int, list[str]]:
    """The tags of each of some articles, in the order in which they came; none of those without."""
    found: dict[int, list[str]] = {}
    for some in chunks(article_ids):
        latest = (
            select(func.max(ArticleTag.id))
            .where(ArticleTag.article_id.in_(some))
            .group_by(ArticleTag.article_id, ArticleTag.tag)
        )
        rows = session.execute(
            select(ArticleTag.article_id, ArticleTag.tag)
            .where(ArticleTag.id.in_(latest), ArticleTag.is_set)
            .order_by(ArticleTag.id)
        )
        for article_id, tag in rows:
            found.setdefault(article_id, []).append(tag)
    return found


def tags_in_use(session: Session) -> dict[str, int]:
    """How many articles of the project bear each tag, by tag in the order of the alphabet."""
    latest = select(func.max(ArticleTag.id)).group_by(ArticleTag.article_id, ArticleTag.tag)
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
