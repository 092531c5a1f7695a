"""Who cites whom among the stored articles, by the identifiers of their reference lists; and verdicts on suggestions.

An identifier is a text such as pmid:123, pmcid:PMC45 or doi:10.1/x.
"""

from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

import db.rows
from db.base import tuples
from db.curation import chunks, kept, removed
from db.tables import (
    Annotator,
    Article,
    Citation,
    Paragraph,
    Reference,
    RelatedVerdict,
    Section,
    Sentence,
)

NAMES = ("pmid", "pmcid", "doi")


def _by_name(identifiers: Collection[str]) -> Iterator[tuple[str, list[str]]]:
    """(pmid, pmcid or doi; some values of it) of identifiers, few at a time."""
    for name in NAMES:
        begin = f"{name}:"
        for values in chunks({each.removeprefix(begin) for each in identifiers if each.startswith(begin)}):
            yield name, values


def stored_articles(session: Session, identifiers: Collection[str]) -> dict[str, int]:
    """The ids of the articles of the project that have these identifiers, by identifier."""
    found: dict[str, int] = {}
    for name, values in _by_name(identifiers):
        column: InstrumentedAttribute[Any] = getattr(Article, name)
        rows = session.execute(select(column, Article.id).where(column.in_(values), kept(Article.id)))
        found |= {f"{name}:{value}": number for value, number in rows}
    return found


def citing(session: Session, identifiers: Collection[str]) -> list[tuple[int, int, str]]:
    """(article id, position in its reference list, identifier) of every reference that has one of these identifiers."""
    found: list[tuple[int, int, str]] = []
    for name, values in _by_name(identifiers):
        column: InstrumentedAttribute[Any] = getattr(Reference, name)
        query = select(Reference.article_id, Reference.position, column).where(column.in_(values))
        rows = session.execute(query.where(kept(Reference.article_id)))
        found += [(article, position, f"{name}:{value}") for article, position, value in rows]
    return found


def all_references(session: Session) -> list[tuple[int, str, str | None, str | None, str | None]]:
    """(article id, title, PMID, PMCID, DOI) of every reference of the articles of the project."""
    columns = (Reference.article_id, Reference.title, Reference.pmid, Reference.pmcid, Reference.doi)
    return tuples(session.execute(select(*columns).where(kept(Reference.article_id)).order_by(Reference.id)))


def removed_identifiers(session: Session) -> set[str]:
    """The identifiers of the articles that were removed: they are not suggested for import again."""
    rows = session.execute(select(*(getattr(Article, name) for name in NAMES)).where(removed(Article.id)))
    return {f"{name}:{value}" for row in rows for name, value in zip(NAMES, row, strict=True) if value}


def citing_sentences(session: Session, article_id: int) -> list[tuple[int, int, str, str]]:
    """(position of the reference, of the sentence, its text, title of its section) where an article cites."""
    query = (
        select(Citation.reference, Sentence.position, Paragraph.text, Sentence.start, Sentence.end, Section.title)
        .join(Sentence, Sentence.id == Citation.sentence_id)
        .join(Paragraph, Paragraph.id == Sentence.paragraph_id)
        .join(Section, Section.id == Paragraph.section_id)
        .where(Citation.article_id == article_id)
        .order_by(Citation.reference, Sentence.position)
    )
    return [(row[0], row[1], row[2][row[3] : row[4]], row[5]) for row in session.execute(query)]


def verdicts(session: Session, asked: str, annotator: str) -> dict[str, bool]:
    """This annotator's verdicts on works suggested for the question, by key, without those taken back."""
    latest = (
        select(func.max(RelatedVerdict.id))
        .join(Annotator, Annotator.id == RelatedVerdict.annotator_id)
        .where(RelatedVerdict.asked == asked, Annotator.name == annotator)
        .group_by(RelatedVerdict.work)
    )
    query = select(RelatedVerdict.work, RelatedVerdict.related).where(RelatedVerdict.id.in_(latest))
    return {work: related for work, related in session.execute(query) if related is not None}


def not_related(session: Session) -> list[tuple[str, str]]:
    """(asked, work) of all pairs that somebody says now are not related: hard negatives of a training."""
    latest = db.rows.latest_ids(RelatedVerdict, RelatedVerdict.asked, RelatedVerdict.work, RelatedVerdict.annotator_id)
    query = select(RelatedVerdict.asked, RelatedVerdict.work).where(
        RelatedVerdict.id.in_(latest), RelatedVerdict.related.is_(False)
    )
    return tuples(session.execute(query.distinct().order_by(RelatedVerdict.asked, RelatedVerdict.work)))


def citing_pairs(session: Session, articles: Collection[Article]) -> set[tuple[int, int]]:
    """(cited article's id, citing article's id) of the stored articles that cite these."""
    own = {f"{name}:{value}": row.id for row in articles for name in NAMES if (value := getattr(row, name))}
    return {(own[name], article) for article, _, name in citing(session, own) if own[name] != article}
