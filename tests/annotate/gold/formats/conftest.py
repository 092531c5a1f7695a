"""Two labelled articles with entities, as every format gets them."""

from pathlib import Path

import pytest

import db.articles
import db.entities
from annotate.articles.document import Article, Paragraph, ParagraphKind, Section, SectionKind
from annotate.gold.formats.documents import GoldDocument, gold_documents
from annotate.project.home import read, write
from annotate.project.rights import Right
from tests.support.making import judge, paper, store, verdict

# Beyond the first 65,536 characters of Unicode, beyond ASCII, and a table whose cells stand in lines.
ODD = "We saw \U0001f9ec: α-TP53 fell."
KEY = "We deleted TP53 in HeLa cells."


@pytest.fixture
def documents(home: Path) -> list[GoldDocument]:
    """One with a key sentence, a rejected one and two genes; one that has no identifier but a title."""
    store(
        Article(
            "Loss of p53 \U0001f9ec",
            pmid="7",
            doi="10.1/a(b)",
            journal="Cells & Genes",
            year=2021,
            licence="CC BY 4.0",
            sections=(
                Section("Abstract", SectionKind.ABSTRACT, (Paragraph(f"{ODD} {KEY}"),)),
                Section("Results", SectionKind.BODY, (Paragraph("A\nB <c>", ParagraphKind.TABLE),)),
            ),
        ),
        paper((KEY,), title="No identifier at all"),
        paper((KEY,), pmid="9"),
    )
    with write(Right.SYSTEM) as session:
        for article_id in (1, 2):
            paragraph = db.articles.paragraphs(session, article_id)[0]
            mentions = [
                {
                    "paragraph_id": paragraph.id,
                    "start": start,
                    "end": start + 4,
                    "type": "gene",
                    "identifiers": ["7157"],
                    "name": "TP53",
                    "probability": 1.0,
                }
                for start in range(len(paragraph.text))
                if paragraph.text.startswith("TP53", start)
            ]
            db.entities.replace_scan(session, article_id, "1", 1, mentions, [])
    judge("Anna", 1, verdict(0, "reject"), verdict(1), verdict(2, "unsure"))
    judge("Ben", 2, verdict(0))
    with read() as session:
        return list(gold_documents(session))
