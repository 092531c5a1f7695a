"""PDF files: columns in order, words whole again, heads and references gone, and what cannot be read refused."""

import hashlib
from random import Random

import pytest

from annotate.articles.document import Article, Paragraph, ParagraphKind, Reference, Section, SectionKind
from annotate.articles.parsing import from_bytes
from annotate.articles.parsing.outline import is_main, is_references, level_of, without_number
from annotate.articles.parsing.pdf import bounded
from annotate.articles.parsing.pdf.article import article_of
from annotate.articles.parsing.pdf.bounded import Line, Page
from annotate.articles.parsing.pdf.hyphens import Words
from annotate.review.article_view import reading_view
from tests.support.ingesting import ingest
from tests.support.office_files import pdf
from tests.support.typesetting import Layout, typeset

WORDS = "investigated proteins consistently differentially expressed experimental populations unrelated transcripts"
ABSTRACT = "Several independent laboratories reported contradictory measurements. We repeated them."
RANDOM = Random(1)  # no line stands twice, as those of running heads do


def shuffled() -> str:
    return " ".join(RANDOM.sample(WORDS.split(), len(WORDS.split())))


BODY = [
    f"We saw that {shuffled()}, whereas in group {number} {shuffled()} of every wild-type animal (P < 0.05) [{number}]."
    f" This observation of ours was that {shuffled()}."
    for number in range(40)
]


def section(title: str, *texts: str, kind: SectionKind = SectionKind.BODY) -> Section:
    return Section(title, kind, tuple(Paragraph(text) for text in texts))


ARTICLE = Article(
    title="Differential expression of investigated proteins in experimental populations",
    sections=(
        section("Abstract", ABSTRACT, kind=SectionKind.ABSTRACT),
        section("Introduction", *BODY[:10]),
        section("Materials and Methods", *BODY[10:20]),
        Section(
            "Results",
            SectionKind.BODY,
            (
                *(Paragraph(text) for text in BODY[20:25]),
                Paragraph("Figure 1. Expression of the proteins in all groups.", ParagraphKind.CAPTION),
                section("Proteins are expressed in unrelated populations", *BODY[25:30]),
            ),
        ),
        section("Discussion", *BODY[30:]),
    ),
    references=tuple(Reference(f"A cited work about matter number {number}.") for number in range(30)),
)


def read(content: bytes) -> Article:
    (entry,) = from_bytes("paper.pdf", content)
    assert entry.article is not None, entry.error
    return entry.article


def refusal(content: bytes) -> str:
    (entry,) = from_bytes("paper.pdf", content)
    assert entry.article is None
    return entry.error or ""


@pytest.mark.parametrize(
    "layout",
    [
        Layout("two columns"),
        Layout("one column", "DejaVuSans", columns=1, spaced=True, justified=False, numbered=True),
        Layout("capitals", capitals=True, wide_abstract=False),
        Layout("three columns", "DejaVuSerif", columns=3, size=7.5, divided=False),  # reportlab loses hyphens there
    ],
    ids=lambda layout: layout.name,
)
def test_an_article_comes_back_from_print_word_for_word_in_order(layout):
    article = read(typeset(ARTICLE, layout))
    assert article.title == ARTICLE.title
    paragraphs = [(section, paragraph) for section, _, paragraph in article.paragraphs()]
    whole = " ".join(paragraph.text for _, paragraph in paragraphs if paragraph.kind is ParagraphKind.PARAGRAPH)
    places = [whole.find(text) for text in (ABSTRACT, *BODY)]
    assert -1 not in places and places == sorted(places)
    captions = [paragraph.text for _, paragraph in paragraphs if paragraph.kind is ParagraphKind.CAPTION]
    assert captions == ["Figure 1. Expression of the proteins in all groups."]
    for gone in ("Journal of Print", "journal-of-print", "Somebody et al.", "cited work", "Ann Author", "Arm 1"):
        assert gone not in whole
    titles = [title.casefold() for title in dict.fromkeys(found.title for found, _ in paragraphs)]
    inner = "Proteins are expressed in unrelated populations".casefold()
    assert titles == ["abstract", "introduction", "materials and methods", "results", inner, "discussion"]
    assert {found.kind for found, _ in paragraphs if found.title == "Abstract"} <= {SectionKind.ABSTRACT}


def test_an_article_says_that_it_was_read_from_a_pdf_and_of_which():
    content = typeset(ARTICLE, Layout("two columns"))
    (said,) = read(content).warnings
    assert said.startswith("read from a PDF of ") and hashlib.sha256(content).hexdigest() in said


@pytest.mark.usefixtures("home")
def test_review_says_that_an_article_was_read_from_a_pdf():
    page = [(72.0, 700.0, 20.0, "The story of cells"), (72.0, 640.0, 10.0, "Cells grew fast.")]
    report = ingest(from_bytes("a.pdf", pdf(page)))
    assert report.counts["stored"] == 1
    assert reading_view(1, "Ada")["article"]["ids"] == ["read from a PDF"]


def test_the_doi_of_the_first_page_is_taken_where_it_is_the_only_one():
    head = [(72, 780, 8, "doi:10.1000/ABC.1"), (72, 700, 12, "Cells grew fast, and we saw it.")]
    assert read(pdf(head)).doi == "10.1000/abc.1"
    assert read(pdf([*head, (72, 600, 12, "See also 10.1000/other.2 there.")])).doi is None
    cut = [(72, 780, 8, "doi:10.1000/j.abc."), (72, 770, 8, "2019.1"), (72, 700, 12, "Cells grew fast, and we saw it.")]
    assert read(pdf(cut)).doi is None
    assert read(pdf([*cut, (72, 600, 12, "https://doi.org/10.1000/j.abc.2019.1")])).doi == "10.1000/j.abc.2019.1"


def test_what_cannot_be_read_is_refused_with_the_reason():
    text = [(72.0, 700.0, 12.0, "Cells grew fast.")]
    assert "(OCR)" in refusal(pdf([(72, 700, 12, "Scanned with a scanner")]))
    assert "(OCR)" in refusal(pdf([]))
    assert "password" in refusal(pdf(text, password="secret"))
    assert "damaged or cut short" in refusal(b"%PDF-1.7\nnothing else")
    assert "holds more than 50 MB" in refusal(b"%PDF-1.7\n" + b"x" * (51 << 20))
    assert "read" in read(pdf(text, text)).warnings[0]


def test_letters_that_fonts_do_not_name_are_no_text():
    page = Page(600, 800, (Line("\ue001\ue002 \ue003" * 100, 50, 700, 500, 712),))
    with pytest.raises(ValueError, match="do not tell which letters"):
        article_of([page], "", "a.pdf", "00")


@pytest.mark.parametrize(
    ("program", "seconds", "reason"),
    [
        ("while True: pass", 1, "takes more than"),
        ("import os; os.abort()", 60, "damaged"),
        ("x = b'x' * (4 << 30)", 60, "needs more than"),
        ("import package_that_is_not_there", 60, "not installed here"),
    ],
)
def test_a_reader_that_hangs_crashes_or_swells_ends_alone(tmp_path, monkeypatch, program, seconds, reason):
    reader = tmp_path / "glyphs.py"
    bound = (
        "import sys, resource; s, m = map(int, sys.argv[1:3]); resource.setrlimit(resource.RLIMIT_CPU, (s, s + 1)); "
    )
    reader.write_text(f"{bound}resource.setrlimit(resource.RLIMIT_DATA, (m << 20, m << 20))\n{program}\n")
    monkeypatch.setattr(bounded, "_READER", reader)
    monkeypatch.setattr(bounded, "PDF_SECONDS", seconds)
    assert reason in refusal(pdf([(72, 700, 12, "Cells grew fast.")]))


def test_pages_letters_and_lines_are_counted(monkeypatch):
    page = [(72.0, 700.0, 12.0, "Cells grew fast.")]
    monkeypatch.setattr(bounded, "PDF_LINES", 1)
    assert "lines" in refusal(pdf(page, page))
    monkeypatch.setattr(bounded, "PDF_PAGE_LINES", 1)
    assert "lines" in refusal(pdf([*page, (72.0, 600.0, 12.0, "And we saw it.")]))
    monkeypatch.setattr(bounded, "PDF_PAGES", 1)
    assert "pages" in refusal(pdf(page, page))
    monkeypatch.setattr(bounded, "PDF_CHARACTERS", 10)
    assert "letters" in refusal(pdf(page))


def test_letters_without_a_height_or_far_from_the_page_are_left_out():
    page = [(72.0, 700.0, 12.0, "Cells grew fast."), (72.0, 600.0, 0.001, "Tiny."), (1e9, 500.0, 12.0, "Far away.")]
    assert [paragraph.text for _, _, paragraph in read(pdf(page)).paragraphs()] == ["Cells grew fast."]


def test_a_paragraph_of_very_many_lines_is_joined_whole():
    lines = ["acgt" * 15 for _ in range(2_000)]
    assert Words([]).joined(lines) == " ".join(lines)


def test_the_reader_of_pdfs_needs_nothing_of_keyline():
    assert "annotate" not in bounded._READER.read_text().split("import json")[1]


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (["a differ-", "ent way"], "a different way"),
        (["the wild-", "type mice"], "the wild-type mice"),  # as the article writes it elsewhere
        (["a TNF-", "dependent act"], "a TNF-dependent act"),
        (["of IL-", "2 in"], "of IL-2 in"),
        (["anti-", "CD3 cells"], "anti-CD3 cells"),
        (["a T-", "cell line"], "a T-cell line"),
        (["see https://a.org/", "b for"], "see https://a.org/b for"),
        (["either –", "or"], "either – or"),
        (["one", "two"], "one two"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line_is_kept_where_the_word_has_it(lines, joined):
    assert Words(["in wild-type mice", "no different from"]).joined(lines) == joined


def test_names_of_sections_are_known_with_numbers_and_capitals():
    assert all(
        map(is_main, ["2. MATERIALS AND METHODS", "Results & Discussion", "Authors’ contributions", "IV. Results:"])
    )
    assert not any(map(is_main, ["Results were as expected", "Figure 1", ""]))
    assert is_references("7 References") and not is_references("Reference genes")
    assert (level_of("2.1. Cells"), level_of("3 Results"), level_of("Results")) == (2, 1, None)
    assert without_number("2.1. Cells") == "Cells"
