"""Reports, and what they look up."""

import db.articles
import db.evaluation.reports
from annotate.articles.document import Article, Paragraph, Section, SectionKind
from annotate.project.home import read
from tests.support.making import paper, store


def test_titles_and_sentences_are_looked_up_in_any_number(home):
    store(*(paper([f"Sentence {i} is the first.", "Another follows."], pmid=str(i)) for i in range(1, 1001)))
    ids = list(range(1, 1001))
    with read() as session:
        assert db.articles.titles(session, [*ids, 5000]) == {i: f"Article {i}" for i in ids}
        texts = db.evaluation.reports.texts(session, {(i, 0) for i in ids} | {(1, 9), (5000, 0)})
        assert texts == {(i, 0): f"Sentence {i} is the first." for i in ids}
        assert db.evaluation.reports.texts(session, []) == {}


def test_a_paragraph_knows_the_sections_around_it(home):
    cells = Section("Cell culture", SectionKind.BODY, (Paragraph("Cells were grown."),))
    sections = (
        Section("Abstract", SectionKind.ABSTRACT, (Paragraph("We grew cells."),)),
        Section("Methods", SectionKind.BODY, (Paragraph("This is how."), cells)),
    )
    store(Article("Cells", pmid="1", sections=sections))
    with read() as session:
        assert list(db.evaluation.reports.section_paths(session, [1]).values()) == [
            ("abstract", ["Abstract"]),
            ("body", ["Methods"]),
            ("body", ["Methods", "Cell culture"]),
        ]
