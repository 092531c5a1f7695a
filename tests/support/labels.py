"""Labels of the shipped topic of gene editing, as most tests have them."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

import db.articles
from annotate.articles.document_labels import Labels, parse_labels, rows_of
from model.proposing.terms import DocumentTerms


def gene_labels(genes: str = "", cells: str = "", edit: str = "") -> Labels:
    """Document labels as people type them: names separated by semicolons, synonyms behind a bar."""
    return parse_labels({"gene": genes, "cell": cells, "edit": edit})


def gene_terms(genes: Sequence[str] = (), cells: Sequence[str] = (), edit: str | None = None) -> DocumentTerms:
    """Document labels as the rankings take them."""
    return DocumentTerms.of({"gene": genes, "cell": cells, "edit": [edit] if edit else []})


def set_labels(session: Session, article_id: int, labels: Labels) -> None:
    """Stores these as all labels of an article, without a word in the history."""
    db.articles.replace_document_labels(session, {article_id: rows_of(labels)})
