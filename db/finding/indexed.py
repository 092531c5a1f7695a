"""What the index of stored texts is made of: articles, when they changed last, their labels and recognised names."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.base import grouped
from db.curation import kept
from db.tables import Article, ArticleChange, DocumentLabel, EntityCandidate

# These bits of a mark are by lot: after a restore two histories of one database hardly give the same mark.
LOT = (1 << 20) - 1


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of all articles up to one: its mark, how many articles they are of, and the sum of their lots."""

    last: int
    articles: int
    lots: int

    def without(self, marks: Iterable[int]) -> "Changes":
        """These without the changes of some marks: their articles have changed again."""
        lots = [mark & LOT for mark in marks]
        return Changes(self.last, self.articles - len(lots), self.lots - sum(lots))


def changes_until(session: Session, last: int) -> Changes:
    """The changes that a database has seen up to this mark; of each article the last alone."""
    columns = (func.count(), func.coalesce(func.sum(ArticleChange.mark.bitwise_and(LOT)), 0))
    articles, lots = session.execute(select(*columns).where(ArticleChange.mark <= last)).one()
    return Changes(last, articles, int(lots))


def changed_since(session: Session, last: int, most: int) -> list[int]:
    """Articles that changed after this mark, removed ones too, in order; at most `most`."""
    query = select(ArticleChange.article_id).where(ArticleChange.mark > last)
    return list(session.scalars(query.order_by(ArticleChange.mark).limit(most)))


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
