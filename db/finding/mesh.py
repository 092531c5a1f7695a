"""MeSH terms of articles: a section of their own kind without paragraphs, whose title holds one term a line."""

from collections.abc import Sequence

from sqlalchemy import String, literal_column, select
from sqlalchemy.orm import Session

from db.base import tuples
from db.curation.removals import rows_of_some
from db.tables import Section
from db.values import MESH_SECTION


def written(terms: Sequence[str]) -> str:
    """Terms as they are stored."""
    return "\n".join(" ".join(term.split()) for term in terms)


def terms(session: Session, article_ids: Sequence[int] | None = None) -> dict[int, tuple[str, ...]]:
    """By article, its MeSH terms as "D003550:Cystic Fibrosis"; of all articles that have any, or of some."""
    # Spelled out, since SQLite takes an index of some rows for a condition that it knows beforehand.
    kind = literal_column(f"'{MESH_SECTION}'", String)
    query = select(Section.article_id, Section.title).where(Section.kind == kind)
    if article_ids is None:
        rows = tuples(session.execute(query))
    else:
        rows = rows_of_some(session, query, Section.article_id, article_ids)
    return {number: tuple(text.split("\n")) for number, text in rows}
