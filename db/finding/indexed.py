"""What the index of stored texts is made of: articles, when they changed last, their labels and recognised names."""

from collections.abc import Collection, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.base import grouped
from db.curation import kept
from db.tables import Article, ArticleChange, DocumentLabel, EntityCandidate


def last_change(session: Session) -> int:
    """The mark of the last change of any article: another one after each; 0 without articles."""
    return session.scalar(select(func.max(ArticleChange.mark))) or 0


def changes(session: Session, article_ids: Collection[int] | None = None) -> dict[int, int]:
    """The mark of the last change by article, of all articles in the project, or some of them."""
    query = select(ArticleChange.article_id, ArticleChange.mark).where(kept(ArticleChange.article_id))
    if article_ids is not None:
        query = query.where(ArticleChange.article_id.in_(article_ids))
    return dict(session.execute(query).all())


def label_names(session: Session, article_ids: Collection[int]) -> dict[int, list[tuple[str, ...]]]:
    """By article, (kind, name, synonyms and identifiers) of the labels of some articles."""
    columns = (DocumentLabel.kind, DocumentLabel.name, DocumentLabel.synonyms, DocumentLabel.identifiers)
    rows = session.execute(select(DocumentLabel.article_id, *columns).where(DocumentLabel.article_id.in_(article_ids)))
    return grouped((number, (kind, name, *others, *ids)) for number, kind, name, others, ids in rows)


def articles(session: Session, article_ids: Collection[int]) -> Sequence[Article]:
    """The articles with these ids, in their order by id, without removed ones."""
    return session.scalars(
        select(Article).where(Article.id.in_(article_ids), kept(Article.id)).order_by(Article.id)
    ).all()


def mentions(session: Session, article_ids: Collection[int]) -> dict[int, list[tuple[int, int, str, str, list[str]]]]:
    """By paragraph, (start, end, type, name, identifiers) of what was recognised in some articles."""
    columns = (EntityCandidate.start, EntityCandidate.end, EntityCandidate.type, EntityCandidate.name)
    rows = session.execute(
        select(EntityCandidate.paragraph_id, *columns, EntityCandidate.identifiers).where(
            EntityCandidate.article_id.in_(article_ids)
        )
    )
    return grouped((paragraph_id, tuple(mention)) for paragraph_id, *mention in rows)


def label_choices(session: Session, most: int) -> list[str]:
    """The names that the most articles bear as labels, in order of the alphabet."""
    named = select(DocumentLabel.name).where(kept(DocumentLabel.article_id)).group_by(DocumentLabel.name)
    names = session.scalars(named.order_by(func.count().desc(), DocumentLabel.name).limit(most))
    return sorted(names, key=str.casefold)
