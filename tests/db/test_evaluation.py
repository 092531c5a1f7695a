"""The query of the audit."""

import secrets

import pytest

import db.articles
import db.evaluation
from annotate.articles.document import Article, Paragraph, Section, SectionKind
from annotate.evaluation.audit import record
from annotate.project.home import read
from db.evaluation import current_audits
from tests.support.making import paper, pmids, store, version_without_weights

pytestmark = pytest.mark.usefixtures("home")


def say(annotator: str, position: int, value: str) -> None:
    event = {"id": secrets.token_hex(8), "article": 1, "sentence": position, "value": value}
    assert record(annotator, [event | {"version": "tiny", "ranking": "hybrid", "rank": 2, "cosine": 0.5}])[0]


def test_the_current_audits_are_the_latest_of_each_annotator_without_withdrawn_ones():
    store(paper(pmid=pmids("test", 1)[0]))
    version_without_weights("tiny")
    for annotator, position, value in (
        ("Anna", 1, "wrong"),
        ("Ben", 1, "correct"),
        ("Anna", 2, "inconclusive"),
        ("Anna", 1, "correct"),
        ("Anna", 2, ""),
        ("Ben", 0, "wrong"),
    ):
        say(annotator, position, value)
    with read() as session:
        rows = [(audit.value, name, position) for audit, name, position in current_audits(session)]
    assert rows == [("correct", "Ben", 1), ("correct", "Anna", 1), ("wrong", "Ben", 0)]


def test_titles_and_sentences_are_looked_up_in_any_number(home):
    store(*(paper([f"Sentence {i} is the first.", "Another follows."], pmid=str(i)) for i in range(1, 1001)))
    ids = list(range(1, 1001))
    with read() as session:
        assert db.articles.titles(session, [*ids, 5000]) == {i: f"Article {i}" for i in ids}
        texts = db.evaluation.texts(session, {(i, 0) for i in ids} | {(1, 9), (5000, 0)})
        assert texts == {(i, 0): f"Sentence {i} is the first." for i in ids}
        assert db.evaluation.texts(session, []) == {}


def test_a_section_knows_those_around_it(home):
    cells = Section("Cell culture", SectionKind.BODY, (Paragraph("Cells were grown."),))
    sections = (
        Section("Abstract", SectionKind.ABSTRACT, (Paragraph("We grew cells."),)),
        Section("Methods", SectionKind.BODY, (Paragraph("This is how."), cells)),
    )
    store(Article("Cells", pmid="1", sections=sections))
    with read() as session:
        assert list(db.articles.section_paths(session, [1]).values()) == [
            ("abstract", ["Abstract"]),
            ("body", ["Methods"]),
            ("body", ["Methods", "Cell culture"]),
        ]
