"""What the index of stored texts is made of: articles with all that says whether they changed, and their sentences."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from db.articles import IS_MESH, read_mesh
from db.base import grouped
from db.curation import kept, last_removal
from db.tables import (
    Article,
    DocumentLabel,
    EntityCandidate,
    EntityScan,
    HistoryEntry,
    Section,
)

AT_ONCE = 1_000  # rows that are read in one piece: of a million articles all would take gigabytes
_STATE = (
    Article.id,
    Article.key,
    Article.pmid,
    Article.pmcid,
    Article.doi,
    Article.title,
    Article.journal,
    Article.year,
    Article.sentence_count,
    Article.imported_at,
)


def mark(session: Session) -> tuple[Any, ...]:
    """Changes with every article, recognition or label that comes, changes or leaves; a few milliseconds."""
    counted = (
        select(func.max(Article.id)),
        select(func.max(Section.id)),  # of a full text that was added, or of MeSH terms; no text ever goes
        # The earliest, too: a clock may have been set back since the last.
        select(func.count(), func.min(EntityScan.computed_at), func.max(EntityScan.computed_at)),
        select(func.max(EntityCandidate.id)),
        select(func.count(), func.max(DocumentLabel.id), func.sum(func.length(DocumentLabel.name))),
        select(func.max(HistoryEntry.id)),
    )
    return (*(value for query in counted for value in session.execute(query).one()), last_removal(session))


def states(
    session: Session, article_ids: Collection[int] | None = None
) -> Iterator[tuple[tuple[Any, ...], tuple[str, ...]]]:
    """Of all articles, or some, what their entries depend on but their labels: the row, which begins with the id, with
    the last recognition, and the MeSH terms."""
    query = (
        select(*_STATE, EntityScan.version, EntityScan.computed_at, Section.title)
        .outerjoin(EntityScan, EntityScan.article_id == Article.id)
        .outerjoin(Section, and_(Section.article_id == Article.id, IS_MESH))
        .where(kept(Article.id))
    )
    if article_ids is not None:
        query = query.where(Article.id.in_(article_ids))
    for *state, mesh in session.execute(query, execution_options={"yield_per": AT_ONCE}):
        yield tuple(state), read_mesh(mesh)


def label_names(session: Session, article_ids: Collection[int] | None = None) -> dict[int, list[tuple[str, ...]]]:
    """By article, (kind, name, synonyms and identifiers) of labels in a fixed order; of all articles, or some."""
    query = select(
        DocumentLabel.article_id,
        DocumentLabel.kind,
        DocumentLabel.name,
        DocumentLabel.synonyms,
        DocumentLabel.identifiers,
    ).order_by(DocumentLabel.article_id, DocumentLabel.kind, DocumentLabel.name)
    if article_ids is not None:
        query = query.where(DocumentLabel.article_id.in_(article_ids))
    rows = session.execute(query)
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
