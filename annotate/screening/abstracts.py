"""Titles and abstracts of stored articles, by which these are screened, found and compared."""

from collections.abc import Mapping

from sqlalchemy.orm import Session

import db.articles
from annotate.articles.document import SectionKind

OPENING = 3  # paragraphs that stand for an abstract where there is none


def texts_of(session: Session, titles: Mapping[int, str]) -> dict[int, tuple[str, str]]:
    """(title, abstract) by article; the first paragraphs where there is no abstract."""
    found = db.articles.abstracts(session, list(titles), SectionKind.ABSTRACT)
    found |= db.articles.beginnings(session, [number for number in titles if number not in found], OPENING)
    return {number: (title, "\n".join(found.get(number, ()))) for number, title in titles.items()}
