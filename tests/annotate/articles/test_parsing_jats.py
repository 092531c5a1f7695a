"""JATS articles: nothing lost, nothing twice, text exact, marks aligned."""

from pathlib import Path

import pytest

from annotate.articles.document import Article, Mark, Paragraph, ParagraphKind, Reference, Section, SectionKind
from annotate.articles.parsing import Wanted, compile_pattern, from_bytes, read_articles
from tests.measure.compare_paragraphs import compare, xml_files
from tests.support.paths import ROOT

ARTICLES = sorted((ROOT.parent / "shared" / "articles").glob("*.zip"))

PAPER = """<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML">
<front><journal-meta><journal-title-group><journal-title>J Test</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmid">123</article-id><article-id pub-id-type="pmc">45</article-id>
<article-id pub-id-type="doi">10.1371/Journal.PONE.1</article-id>
<title-group><article-title>The <italic>TP53</italic> gene<xref ref-type="fn">*</xref></article-title></title-group>
<author-notes><fn><p>Equal work.</p></fn></author-notes>
<pub-date pub-type="collection"><year>2009</year></pub-date><pub-date pub-type="epub"><year>2008</year></pub-date>
<permissions><license xlink:href="http://cc.org/by"><license-p>Open.</license-p></license></permissions>
<abstract><sec><title>Background</title><p>Known.</p></sec><sec><title>Results</title><p>New.</p></sec></abstract>
<abstract abstract-type="graphical"><p>Picture.</p></abstract></article-meta></front>
<body><p>Loose.</p><sec><label>1</label><title>Results</title>
<p>Before <xref>Fig 1</xref> stands
<fig><label>Fig 1</label><caption><title>Cells.</title><p>Bar, 5&#160;&#956;m.</p></caption><graphic/></fig>
after<fn><p>A note.</p></fn> it.</p>
<sec><title>Inner</title><list><list-item><label>1.</label><p>First.</p></list-item>
<list-item><p>Second.</p><list><list-item><p>Nested.</p></list-item></list></list-item></list></sec>
<boxed-text><label>Box 1</label><caption><title>Aside</title><p>Boxed.</p></caption></boxed-text>
<table-wrap><label>Table 1</label><caption><p>Doses</p></caption><table>
<thead><tr><th>Dose</th><th/></tr></thead><tbody><tr><td>5 mg<sup>a</sup></td><td>x<break/>y</td></tr></tbody></table>
<table-wrap-foot><fn><label>a</label><p>Oral.</p></fn></table-wrap-foot></table-wrap>
<disp-quote><p>Quoted.</p></disp-quote>
<supplementary-material><label>S1</label><caption><p>Movie.</p></caption></supplementary-material></sec></body>
<back><ack><p>Thanks.</p></ack>
<app-group><app><label>Appendix 1</label><title>Proof</title><p>Shown.</p></app></app-group>
<glossary><def-list><def-item><term>ANOVA</term><def><p>analysis of variance</p></def></def-item></def-list></glossary>
<ref-list><title>References</title><ref><element-citation><article-title>Old <sub>2</sub></article-title>
<pub-id pub-id-type="pmid">9</pub-id><pub-id pub-id-type="doi">https://doi.org/10.1000/AB</pub-id></element-citation>
<note><p>Out of print.</p></note></ref></ref-list></back>
<sub-article><front-stub><title-group><article-title>Decision letter</article-title></title-group></front-stub>
<body><p>Accepted.</p></body></sub-article></article>"""

BASE = "<article><body><sec><title>S</title>{}</sec></body></article>"


def parsed(xml: str) -> Article:
    """Returns the one article of the XML."""
    (entry,) = from_bytes("a.xml", xml.encode())
    assert entry.error is None and entry.article is not None, entry.error
    return entry.article


def blocks(body: str) -> tuple[Paragraph | Section, ...]:
    """Returns the blocks of a section with the given content."""
    return parsed(BASE.format(body)).sections[0].blocks


def outline(section: Section) -> list:
    """Returns a section as nested lists, for comparison."""
    inner = [outline(block) if isinstance(block, Section) else block.text for block in section.blocks]
    return [section.title, *inner]


def test_the_facts_of_an_article_are_read_and_normalised() -> None:
    article = parsed(PAPER)
    assert article.title == "The TP53 gene"
    assert (article.pmid, article.pmcid, article.doi) == ("123", "PMC45", "10.1371/journal.pone.1")
    assert (article.journal, article.year, article.licence) == ("J Test", 2008, "Open. (http://cc.org/by)")
    assert article.references == (Reference("Old 2", pmid="9", doi="10.1000/ab"),)
    assert article.warnings == ()


def test_every_part_of_an_article_has_its_place_in_reading_order() -> None:
    sections = parsed(PAPER).sections
    assert [outline(section) for section in sections] == [
        ["Abstract", ["Background", "Known."], ["Results", "New."]],
        ["Graphical abstract", "Picture."],
        ["", "Loose."],
        [
            "Results",
            "Before Fig 1 stands",
            "Fig 1 Cells.",
            "Bar, 5\u00a0μm.",
            "after it.",
            "A note.",
            ["Inner", "1. First.", "Second.", "Nested."],
            ["Box 1: Aside", "Boxed."],
            "Table 1 Doses",
            "Dose\t",
            "5 mga\tx y",
            "a Oral.",
            "Quoted.",
            "S1 Movie.",
        ],
        ["Acknowledgements", "Thanks."],
        ["Appendix 1: Proof", "Shown."],
        ["Glossary", "ANOVA: analysis of variance"],
        ["References", "Out of print."],
        ["Author notes", "Equal work."],
        ["Decision letter", "Accepted."],
    ]
    kinds = [section.kind for section in sections]
    assert kinds[:2] == [SectionKind.ABSTRACT] * 2 and kinds[2:4] == [SectionKind.BODY] * 2
    assert kinds[4:9] == [SectionKind.BACK] * 5 and kinds[9] is SectionKind.SUB_ARTICLE


def test_captions_rows_items_and_notes_are_told_apart() -> None:
    kinds = {paragraph.text: paragraph.kind for _, _, paragraph in parsed(PAPER).paragraphs()}
    assert kinds["Fig 1 Cells."] is kinds["S1 Movie."] is ParagraphKind.CAPTION
    assert kinds["Dose\t"] is kinds["5 mga\tx y"] is ParagraphKind.TABLE
    assert kinds["Nested."] is kinds["ANOVA: analysis of variance"] is ParagraphKind.LIST_ITEM
    assert kinds["a Oral."] is kinds["A note."] is kinds["Equal work."] is ParagraphKind.NOTE
    assert kinds["Boxed."] is kinds["after it."] is ParagraphKind.PARAGRAPH


def test_marks_point_at_the_formatted_text_after_white_space_collapsed() -> None:
    (paragraph,) = blocks("<p>\n  The <italic> lac\n Z </italic>gene, H<sub>2</sub>O, 10<sup>-3</sup>\t</p>")
    assert isinstance(paragraph, Paragraph)
    assert paragraph.text == "The lac Z gene, H2O, 10-3"
    spans = [(paragraph.text[mark.start : mark.end], mark.style) for mark in paragraph.marks]
    assert spans == [("lac Z", "italic"), ("2", "sub"), ("-3", "sup")]


def test_a_raised_number_of_a_reference_or_note_stands_apart_from_the_word_before_it() -> None:
    cited = [f'<xref ref-type="bibr" rid="b">{number}</xref>' for number in range(6)]
    words = f"IL-2<sup>{cited[1]},{cited[3]}</sup> in [{cited[4]}{cited[5]}] cells.{cited[0]} 10<sup>3</sup>"
    table = '<table-wrap><table><tr><td>Rank<xref ref-type="table-fn">a</xref></td></tr></table></table-wrap>'
    paragraph, row = blocks(f"<p>{words}</p>{table}")
    assert isinstance(paragraph, Paragraph) and isinstance(row, Paragraph)
    assert (paragraph.text, row.text) == ("IL-2\u20091,3 in [4\u20095] cells.0 103", "Rank\u2009a")
    assert [paragraph.text[cite.at] for cite in paragraph.cites] == ["1", "3", "4", "5", "0"]
    assert paragraph.marks == (Mark(5, 8, "sup"), Mark(28, 29, "sup"))


def test_marks_of_a_table_row_are_counted_from_the_start_of_the_row() -> None:
    (row,) = blocks("<table-wrap><table><tr><td>ab</td><td>H<sub>2</sub></td></tr></table></table-wrap>")
    assert row == Paragraph("ab\tH2", ParagraphKind.TABLE, (Mark(4, 5, "sub"),))


def test_signs_and_unusual_spaces_stay_and_controls_and_comments_go() -> None:
    (paragraph,) = blocks("<p>p&lt;0.05&#160;±&#8201;2<!-- no --><?pi no?>, a&#133;b &#945; n\u0303</p>")
    assert isinstance(paragraph, Paragraph)
    assert paragraph.text == "p<0.05\u00a0±\u20092, ab α n\u0303"


MATHML = '<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML">{}</mml:math>'
FORMULAS = {
    "<tex-math>\\alpha_1</tex-math>" + MATHML.format("<mml:mi>β</mml:mi>"): "β",
    "<alternatives><tex-math>$$\\beta \\le 3$$</tex-math><graphic/></alternatives>": "β ≤ 3",
    MATHML.format("<mml:msup><mml:mi>r</mml:mi><mml:mn>2</mml:mn></mml:msup>"): "r2",
    MATHML.format("<mml:mfrac><mml:mn>1</mml:mn><mml:mn>2</mml:mn></mml:mfrac>"): "1/2",
    MATHML.format('<mml:mtext>if</mml:mtext><mml:mspace width="4.pt"/><mml:mn>1</mml:mn>'): "if 1",
    MATHML.format('<mml:mi>max</mml:mi><mml:mspace width="-1em"/><mml:mspace/><mml:mi>K</mml:mi>'): "maxK",
    MATHML.format('<mml:mn>1</mml:mn><mml:mspace width="0.167em"/><mml:mn>000</mml:mn>'): "1000",
    MATHML.format("<mml:mfenced><mml:mi>a</mml:mi><mml:mi>b</mml:mi></mml:mfenced>"): "(a,b)",
}


@pytest.mark.parametrize(("formula", "text"), FORMULAS.items())
def test_a_formula_becomes_text_once(formula: str, text: str) -> None:
    (paragraph,) = blocks(f"<p>Let <inline-formula>{formula}</inline-formula> be.</p>")
    assert isinstance(paragraph, Paragraph)
    assert paragraph.text == f"Let {text} be."


def test_displayed_formulas_cut_the_paragraph_and_keep_their_number() -> None:
    formula = f"<disp-formula><label>(1)</label>{MATHML.format('<mml:mi>E</mml:mi>')}</disp-formula>"
    before, displayed, after = blocks(f"<p>Hence {formula} holds.</p>")
    assert displayed == Paragraph("E (1)", ParagraphKind.FORMULA)
    assert (before, after) == (Paragraph("Hence"), Paragraph("holds."))


def test_formulas_that_are_only_images_are_counted_in_a_warning() -> None:
    article = parsed(BASE.format("<p>Let <inline-formula><inline-graphic/></inline-formula> be.</p>"))
    assert "1 formulas are images only and have no text" in article.warnings


def test_latex_in_dollars_becomes_text_and_prices_stay() -> None:
    (paragraph,) = blocks("<p>From $5 to $6, $\\alpha$ and $x$.</p>")
    assert isinstance(paragraph, Paragraph)
    assert paragraph.text == "From $5 to $6, α and $x$."


def test_a_paragraph_in_an_unforeseen_place_is_kept_in_a_last_section() -> None:
    meta = "<article-meta><custom-meta><meta-value><p>Impact.</p></meta-value></custom-meta></article-meta>"
    article = parsed(f"<article><front>{meta}</front><body><odd><p>Odd.</p></odd></body></article>")
    assert [outline(section) for section in article.sections] == [["", "Odd."], ["Other text", "Impact."]]


def test_each_article_of_a_set_is_an_entry_and_a_bad_one_stops_no_other() -> None:
    good = "<article xmlns='https://jats.nlm.nih.gov/ns/archiving/1.3/'><body><p>{}</p></body></article>"
    xml = f"<OAI-PMH><record>{good.format('One.')}</record><article/>{good.format('Two.')}</OAI-PMH>"
    entries = list(from_bytes("set.xml", xml.encode()))
    assert [entry.source for entry in entries] == [f"set.xml › article {n}" for n in (1, 2, 3)]
    assert [entry.error is None for entry in entries] == [True, False, True]


def test_articles_are_chosen_by_pmid_and_by_a_pattern_in_title_or_abstract(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(PAPER, encoding="utf-8")
    assert len(list(read_articles(path, Wanted(pmids=frozenset({"123"}))))) == 1
    assert not list(read_articles(path, Wanted(pmids=frozenset({"4"}))))
    assert len(list(read_articles(path, Wanted(compile_pattern("TP53"))))) == 1
    assert len(list(read_articles(path, Wanted(compile_pattern("Known"))))) == 1
    assert not list(read_articles(path, Wanted(compile_pattern("Loose"))))  # body text is not searched


def test_the_comparison_notices_a_lost_and_a_doubled_paragraph(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compare("a.xml", PAPER.encode()).missing == ()
    monkeypatch.setattr(
        "tests.measure.compare_paragraphs.from_bytes", lambda *_: from_bytes("b.xml", BASE.format("").encode())
    )
    lost = compare("a.xml", PAPER.encode())
    assert "Boxed." in lost.missing and lost.missing_characters > 100
    long = "<p>A paragraph that is long enough to be counted, each time.</p>"
    twice = BASE.format(long + long).encode()
    monkeypatch.setattr("tests.measure.compare_paragraphs.from_bytes", lambda *_: from_bytes("b.xml", twice))
    assert len(compare("a.xml", BASE.format(long).encode()).repeated) == 1


@pytest.mark.skipif(not ARTICLES, reason="the shared sample of real articles is not here")
def test_no_paragraph_of_the_real_articles_is_lost_or_doubled() -> None:
    found = [compare(name, content) for name, content in xml_files(ARTICLES)]
    assert len(found) >= 200
    bad = [one for one in found if one.missing or one.repeated or one.error]
    assert bad == []
