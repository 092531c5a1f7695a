"""Reports, and what they look up."""

import db.evaluation.reports
from annotate.articles.document import Article, Paragraph, Section, SectionKind
from annotate.project.home import read, write
from annotate.project.rights import Right
from tests.support.making import paper, store, version_without_weights

SPLIT = {"ranking": "cosine", "split": "test"}


def test_the_latest_report_of_a_version_is_of_the_same_ranking_and_split(home):
    version = version_without_weights("tiny")
    with write(Right.SYSTEM) as session:
        first, second, other = (
            db.evaluation.reports.insert_report(
                session, version_id=version.id, ranking=ranking, split="test", label_set_sha256="", content={"n": n}
            )
            for n, ranking in ((1, "cosine"), (2, "cosine"), (3, "hybrid"))
        )
    with read() as session:
        assert db.evaluation.reports.latest_report(session, version.id, "cosine", "test").id == second
        assert db.evaluation.reports.latest_report(session, version.id, "hybrid", "test").id == other
        assert db.evaluation.reports.latest_report(session, version.id, "cosine", "all") is None
        assert db.evaluation.reports.report(session, first).content == {"n": 1}
        assert db.evaluation.reports.report(session, 99) is None


def test_titles_and_sentences_are_looked_up_in_any_number(home):
    store(*(paper([f"Sentence {i} is the first.", "Another follows."], pmid=str(i)) for i in range(1, 1001)))
    ids = list(range(1, 1001))
    with read() as session:
        assert db.evaluation.reports.titles(session, [*ids, 5000]) == {i: f"Article {i}" for i in ids}
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
