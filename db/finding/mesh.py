"""MeSH terms of articles: a section of their own kind without paragraphs, whose title holds one term a line."""

from collections.abc import Collection, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.base import tuples
from db.tables import Section
from db.values import MESH_SECTION


def written(terms: Sequence[str]) -> str:
    """Terms as they are stored."""
    return "\n".join(" ".join(term.split()) for term in terms)


def terms(session: Session, article_ids: Collection[int] | None = None) -> dict[int, tuple[str, ...]]:
    """By article, its MeSH terms as "D003550:Cystic Fibrosis"; of all articles that have any, or of some."""
    query = select(Section.article_id, Section.title).where(Section.kind == MESH_SECTION)
    if article_ids is not None:
        query = query.where(Section.article_id.in_(article_ids))
    return {number: tuple(text.split("\n")) for number, text in tuples(session.execute(query))}
