"""Ingest: each article once, whole or not at all, positions and verdicts kept when full text arrives."""

from collections import Counter
from dataclasses import replace

import pytest

import annotate.articles.citations
import annotate.articles.importing.splitting
import db.articles
import db.review.verdicts
from annotate.articles.article_rows import TEXT_ADDED, article_key, split_of
from annotate.articles.document import Article, Cite, Mark, Paragraph, ParagraphKind, Reference, Section, SectionKind
from annotate.articles.import_report import ImportOutcome
from annotate.articles.parsing import ParsedEntry
from annotate.articles.sentences import SplitsWrongly
from annotate.project.home import read
from tests.support.ingesting import ingest
from tests.support.making import SENTENCES, contents, judge, paper, query, store, verdict
from tests.support.splitting import splitting_wrongly

TEXT = ("article", "section", "paragraph", "sentence", "reference")
BODY = ("Growth of the cells decreased.", "We measured the deletion again.")


def texts(article_id: int = 1) -> list[str]:
    with read() as session:
        return [sentence.text for sentence in db.articles.sentences(session, [article_id])]


def test_an_article_is_stored_with_its_sentences_in_reading_order(home):
    report = store(paper(body=BODY, pmid="1", journal="J", year=2020, licence="CC BY"))
    assert report.as_dict()["counts"] == {"stored": 1, "full text added": 0, "already there": 0, "failed": 0}
    assert texts() == [*SENTENCES, *BODY]
    assert query("SELECT position FROM sentence ORDER BY id") == [(n,) for n in range(5)]
    assert query("SELECT key, journal, year, licence, full_text, sentence_count FROM article") == [
        ("pmid:1", "J", 2020, "CC BY", 1, 5)
    ]


def test_the_same_article_twice_changes_nothing(home):
    article = paper(body=BODY, pmid="1", doi="10.1/a", references=(Reference("Old", pmid="2"),))
    store(article)
    before = contents(*TEXT)
    report = store(article, article)
    assert report.counts == {ImportOutcome.ALREADY_THERE: 2}
    assert contents(*TEXT) == before


def test_a_text_that_differs_in_white_space_only_is_not_told_as_another(home):
    store(paper(("IL-21 fell.",), pmid="1"))
    assert store(paper(("IL-2\u20091 fell.",), pmid="1")).warnings == []
    assert texts() == ["IL-21 fell."]


def test_mesh_terms_are_kept_beside_the_text_and_added_where_there_were_none(home):
    terms = ("D003550:Cystic Fibrosis", "Lung")
    store(paper(body=BODY, pmid="1", mesh=terms), paper(pmid="2"))
    report = store(paper(pmid="2", mesh=terms), paper(pmid="2", mesh=("Heart",)), paper(pmid="1", mesh=("Heart",)))
    assert report.counts == {ImportOutcome.ALREADY_THERE: 3}
    with read() as session:
        assert db.articles.mesh_terms(session, [1, 2]) == {1: terms, 2: terms}
        assert db.articles.mesh_terms(session, [2]) == {2: terms}
        assert {section.title for section in db.articles.sections(session, 1)} == {"Abstract", "Results"}
    store(paper(body=BODY, pmid="2"))
    assert texts(2) == [*SENTENCES, *BODY]
    assert query("SELECT article_id, position FROM section WHERE kind = 'mesh' ORDER BY article_id") == [(1, 2), (2, 1)]


def test_the_same_article_twice_in_one_batch_is_stored_once(home):
    report = store(paper(pmid="1"), paper(pmid="1"))
    assert report.counts == {ImportOutcome.STORED: 1, ImportOutcome.ALREADY_THERE: 1}
    assert texts() == list(SENTENCES)


@pytest.mark.parametrize("name", ["pmid", "pmcid", "doi"])
def test_any_shared_identifier_makes_it_the_same_article(home, name):
    value = {"pmid": "7", "pmcid": "PMC7", "doi": "10.1/seven"}[name]
    store(paper(**{"pmid": None, name: value}))
    before = contents(*TEXT)
    other = paper(("Another file has other words.",), **{"pmid": None, "title": "Another", name: value})
    assert store(other).counts == {ImportOutcome.ALREADY_THERE: 1}
    assert contents(*TEXT) == before


def test_two_pmids_stay_apart_even_where_they_share_a_doi(home):
    assert store(paper(pmid="1", doi="10.1/a"), paper(pmid="2", doi="10.1/a")).counts == {ImportOutcome.STORED: 2}
    assert query("SELECT pmid, doi FROM article ORDER BY id") == [("1", "10.1/a"), ("2", None)]


def test_an_article_without_identifiers_is_known_by_its_text(home):
    one = paper(title="A title")
    assert article_key(one) == article_key(paper(title="A title"))
    assert article_key(one) != article_key(paper(("Other.",), title="A title"))
    assert article_key(one).startswith("sha256:")
    assert store(one, one).counts == {ImportOutcome.STORED: 1, ImportOutcome.ALREADY_THERE: 1}


def test_full_text_behind_an_abstract_keeps_sentences_and_verdicts(home):
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(1, "accept"))
    before = contents(*TEXT)
    report = store(paper(body=BODY, pmid="1", pmcid="PMC1", licence="CC BY", references=(Reference("Old"),)))
    assert report.counts == {ImportOutcome.FULL_TEXT_ADDED: 1}
    after = contents(*TEXT)
    for table in ("section", "paragraph", "sentence"):
        assert after[table][: len(before[table])] == before[table]
    assert texts() == [*SENTENCES, *BODY]
    assert query("SELECT position FROM sentence ORDER BY id") == [(n,) for n in range(5)]
    assert query("SELECT title, position FROM section") == [("Abstract", 0), ("Results", 1)]
    assert query("SELECT pmcid, licence, full_text, sentence_count, split FROM article") == [
        ("PMC1", "CC BY", 1, 5, split_of("pmid:1"))
    ]
    assert query("SELECT title FROM reference") == [("Old",)]
    with read() as session:
        assert [(v.value, position) for v, _, position in db.review.verdicts.current_verdicts(session)] == [
            ("accept", 1)
        ]


def test_full_text_behind_a_title_alone_brings_its_abstract_too(home):
    store(paper((), pmid="1"))
    assert texts() == []
    store(paper(body=BODY, pmid="1"))
    assert texts() == [*SENTENCES, *BODY]


def test_an_abstract_behind_a_title_alone_is_added_with_what_else_the_record_tells(home):
    store(paper((), pmid="1", warnings=("no abstract",)))
    report = store(paper(pmid="1", doi="10.1/a", journal="J", year=2020, licence="CC BY", mesh=("Lung",)))
    assert report.counts == {ImportOutcome.ALREADY_THERE: 1}
    assert report.warnings == [("file0.xml", TEXT_ADDED)]
    assert texts() == list(SENTENCES)
    assert query(
        "SELECT doi, journal, year, licence, full_text, sentence_count, CAST(warnings AS TEXT) FROM article"
    ) == [("10.1/a", "J", 2020, "CC BY", 0, 3, "[]")]
    assert query("SELECT kind, position FROM section ORDER BY position") == [("abstract", 0), ("mesh", 1)]
    assert store(paper(pmid="1")).warnings == []


def test_an_abstract_behind_full_text_changes_nothing(home):
    store(paper(body=BODY, pmid="1"))
    before = contents(*TEXT)
    assert store(paper(pmid="1")).counts == {ImportOutcome.ALREADY_THERE: 1}
    assert contents(*TEXT) == before


def test_a_record_of_a_stored_article_tells_its_other_identifiers_and_nothing_else(home):
    store(paper(body=BODY, pmid="1"), paper(pmid="2", doi="10.1/two"))
    before = contents(*TEXT)
    assert store(paper(pmid="1", pmcid="PMC1", doi="10.1/two")).counts == {ImportOutcome.ALREADY_THERE: 1}
    assert query("SELECT pmid, pmcid, doi FROM article ORDER BY id") == [("1", "PMC1", None), ("2", None, "10.1/two")]
    assert {name: rows for name, rows in contents(*TEXT).items() if name != "article"} == {
        name: rows for name, rows in before.items() if name != "article"
    }


def test_full_text_in_the_same_batch_as_its_abstract_is_added(home):
    report = store(paper(pmid="1"), paper(pmid="2"), paper(body=BODY, pmid="1"), paper(pmid="3"))
    assert report.counts == {ImportOutcome.STORED: 3, ImportOutcome.FULL_TEXT_ADDED: 1}
    assert texts(1) == [*SENTENCES, *BODY]
    assert query("SELECT count(*) FROM sentence") == [(11,)]


def test_full_text_never_takes_an_identifier_that_belongs_to_another_article(home):
    store(paper(pmid="1"), paper(pmid="2", pmcid="PMC2"))
    store(paper(body=BODY, pmid="1", pmcid="PMC2"))
    assert query("SELECT pmid, pmcid FROM article ORDER BY id") == [("1", None), ("2", "PMC2")]


def test_an_article_without_text_is_stored_with_its_warning(home):
    report = store(paper((), pmid="1", warnings=("no abstract",)))
    assert report.counts == {ImportOutcome.STORED: 1}
    assert report.warnings == [("file0.xml", "no abstract")]
    assert query("SELECT full_text, sentence_count FROM article") == [(0, 0)]


def test_the_spans_of_a_paragraph_leave_only_white_space_between_them(home):
    text = "  Levels of Na+ rose 3.5-fold (Fig. 2A).  IL-2\u00a0fell; see ref. 4. H\u2082O: α≥5 µm!"
    store(Article("T", pmid="1", sections=(Section("Results", SectionKind.BODY, (Paragraph(text),)),)))
    spans = query('SELECT start, "end" FROM sentence ORDER BY position')
    assert len(spans) >= 2
    rebuilt, last = "", 0
    for start, end in spans:
        assert not text[last:start].strip() and start < end
        rebuilt += text[last:start] + text[start:end]
        last = end
    assert rebuilt + text[last:] == text and not text[last:].strip()
    assert texts() == [text[start:end] for start, end in spans]


def test_a_table_row_is_one_sentence_and_marks_are_kept(home):
    row = Paragraph(" TP53. Deleted.\t5 mg ", ParagraphKind.TABLE, (Mark(1, 5, "italic"),))
    store(Article("T", pmid="1", sections=(Section("Table", SectionKind.BODY, (row, Paragraph(" "))),)))
    assert texts() == ["TP53. Deleted.\t5 mg"]
    marked = query("SELECT kind, CAST(marks AS TEXT) FROM paragraph")
    assert marked == [("table", '[[1, 5, "italic"]]'), ("paragraph", "[]")]


def test_sections_know_the_section_around_them(home):
    inner = Section("Inner", SectionKind.BODY, (Paragraph("First sentence here."),))
    outer = Section("Outer", SectionKind.BODY, (Paragraph("Before it."), inner, Paragraph("After it.")))
    store(Article("T", pmid="1", sections=(outer,)))
    assert query("SELECT id, parent_id, depth, title FROM section") == [(1, None, 0, "Outer"), (2, 1, 1, "Inner")]
    assert texts() == ["Before it.", "First sentence here.", "After it."]
    assert query("SELECT section_id FROM paragraph ORDER BY position") == [(1,), (2,), (1,)]


def test_splits_are_fixed_and_near_60_20_20():
    keys = [f"pmid:{number}" for number in range(10_000)]
    counts = Counter(map(split_of, keys))
    # three standard deviations of a binomial share of 10,000 are 147 and 120
    assert abs(counts["train"] - 6000) < 147
    assert abs(counts["validation"] - 2000) < 120 and abs(counts["test"] - 2000) < 120
    # these must never change, or articles would move from one split to another
    expected = "validation train train train train validation train train".split()
    assert [split_of(f"pmid:{number}") for number in range(1, 9)] == expected


def test_an_entry_that_failed_does_not_stop_the_others(home):
    entries = [
        ParsedEntry("a.xml", paper(pmid="1")),
        ParsedEntry("b.xml", error="is empty"),
        ParsedEntry("c.xml", paper(pmid="2")),
    ]
    report = ingest(entries)
    assert report.counts == {ImportOutcome.STORED: 2, ImportOutcome.FAILED: 1}
    assert report.failures == [("b.xml", "is empty")]


def test_an_article_of_too_many_sentences_is_refused_and_the_others_are_stored(home, monkeypatch):
    monkeypatch.setattr(annotate.articles.importing.splitting, "MAX_SENTENCES", 5)
    too_long = paper(body=["One was written.", "Two were written.", "Three were written."], pmid="1")
    fits = paper(body=["One was written.", "Two were written."], pmid="2")
    report = store(too_long, fits, paper(pmid="9"))
    assert report.counts == {ImportOutcome.STORED: 2, ImportOutcome.FAILED: 1}
    why = "holds more than 5 sentences, which are too many for one article: split the file"
    assert report.failures == [("file0.xml", why)]
    assert query("SELECT key FROM article ORDER BY id") == [("pmid:2",), ("pmid:9",)]


def test_where_python_would_split_wrongly_nothing_is_stored(home):
    with splitting_wrongly(), pytest.raises(SplitsWrongly):
        store(paper(pmid="1"))
    assert query("SELECT key FROM article") == []


def test_of_too_many_references_and_citations_the_first_are_kept_and_the_report_says_so(home, monkeypatch):
    monkeypatch.setattr(annotate.articles.citations, "MOST_REFERENCES", 3)
    monkeypatch.setattr(annotate.articles.citations, "MOST_CITATIONS", 4)
    references = tuple(Reference(f"Title {n}", anchors=(f"B{n}",)) for n in range(9))
    cites = (Cite(3, "B0", "B2"), Cite(4, "B1"), Cite(5, "B0"), Cite(6, "B8"))
    body = Section("Body", SectionKind.BODY, (Paragraph("We cite them all.", cites=cites),))
    report = store(replace(paper(pmid="1"), sections=(body,), references=references), paper(pmid="9"))
    assert report.counts == {ImportOutcome.STORED: 2}
    assert [each[1] for each in report.warnings] == [
        "has 9 references: the first 3 are kept",
        "cites at more than 4 places: later ones are left out of its links",
    ]
    assert query("SELECT count(*) FROM reference") == [(3,)]
    assert query("SELECT reference FROM citation ORDER BY reference") == [(0,), (1,), (2,)]


def test_an_exception_in_the_middle_of_a_batch_stores_nothing_of_it(home, monkeypatch):
    store(paper(pmid="1"))
    before = contents(*TEXT)
    insert_text = db.articles.insert_text

    def fail(session, rows):
        insert_text(session, rows)
        raise OSError("disk full")

    monkeypatch.setattr(db.articles, "insert_text", fail)
    with pytest.raises(OSError, match="disk full"):
        store(paper(pmid="2"), paper(body=BODY, pmid="1"), paper(pmid="3"))
    assert contents(*TEXT) == before
    monkeypatch.undo()


def test_a_source_that_breaks_off_loses_only_its_unfinished_batch(home, monkeypatch):
    monkeypatch.setattr(annotate.articles.importing.splitting, "BATCH_ARTICLES", 2)

    def entries():
        for number in range(1, 4):
            yield ParsedEntry("a.zip", paper(pmid=str(number)))
        raise OSError("unplugged")

    with pytest.raises(OSError, match="unplugged"):
        ingest(entries())
    assert query("SELECT pmid, sentence_count FROM article ORDER BY id") == [("1", 3), ("2", 3)]
    assert query("SELECT count(*) FROM sentence") == [(6,)]


def test_a_cancelled_import_keeps_whole_batches_and_reports_progress(home, monkeypatch):
    monkeypatch.setattr(annotate.articles.importing.splitting, "BATCH_ARTICLES", 2)
    done: list[int] = []
    entries = [ParsedEntry("a", paper(pmid=str(number))) for number in range(1, 8)]
    report = ingest(
        entries, progress=lambda report: done.append(report.counts.total()), cancelled=lambda: len(done) == 2
    )
    assert done == [2, 4]
    assert report.counts == {ImportOutcome.STORED: 4}
    assert query("SELECT count(*) FROM article") == [(4,)]


def test_a_report_keeps_counting_when_it_stops_listing(home, monkeypatch):
    monkeypatch.setattr("annotate.articles.import_report.REPORTED_ENTRIES", 3)
    report = ingest(ParsedEntry(f"{number}.xml", error="is empty") for number in range(5))
    assert report.as_dict()["counts"]["failed"] == 5
    assert report.as_dict()["failures"] == [[f"{number}.xml", "is empty"] for number in range(3)]


def test_only_a_body_makes_a_full_text(home):
    """A page of an abstract often ends with who paid for the work."""
    back = Section("Funding", SectionKind.BACK, (Paragraph("By us."),))
    abstract = paper(pmid="1")
    store(replace(abstract, sections=(*abstract.sections, back)), paper(body=BODY, pmid="2"))
    assert query("SELECT pmid, full_text FROM article ORDER BY pmid") == [("1", False), ("2", True)]
    assert store(paper(body=BODY, pmid="1")).counts == {ImportOutcome.FULL_TEXT_ADDED: 1}
