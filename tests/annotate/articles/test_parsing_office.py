"""Word documents and TEI: headings as sections, marks kept, and what is no text left out."""

import pytest

from annotate.articles.document import Article, Cite, Mark, ParagraphKind, Reference, SectionKind
from annotate.articles.parsing import from_bytes
from tests.support.hostile import zipped
from tests.support.office_files import docx, para, run

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc>
<titleStmt><title level="a" type="main">Loss of p53</title></titleStmt>
<publicationStmt><availability><licence>CC BY</licence></availability><date when="2019-03-01"/></publicationStmt>
<sourceDesc><biblStruct><analytic><title level="a">Loss of p53</title></analytic>
<monogr><title level="j">J Test</title></monogr><idno type="DOI">10.1000/ABC</idno><idno type="PMCID">PMC12</idno>
<idno type="PMID">34</idno></biblStruct></sourceDesc></fileDesc>
<profileDesc><abstract><div><p>We <hi rend="italic">deleted</hi> it.</p></div></abstract></profileDesc></teiHeader>
<text><body>
<div><head n="1">Introduction</head><p>As shown <ref type="bibr" target="#b1">[2]</ref>.</p>
<p><s>One.</s><s>Two.</s></p></div>
<div><head n="2">Results</head><p>It grew.</p><formula>a = b</formula></div>
<figure><head>Figure 1</head><label>1</label><figDesc>Cells.</figDesc><graphic url="a.png"/></figure>
<figure type="table"><head>Table 1</head><figDesc>Counts.</figDesc>
<table><row><cell>a</cell><cell>b</cell></row></table></figure>
</body><back><div type="acknowledgement"><div><p>We thank X.</p></div></div>
<div type="references"><listBibl><biblStruct xml:id="b1"><analytic><title level="a">Cited work</title>
<idno type="DOI">10.1000/X</idno></analytic><monogr><title level="j">J</title></monogr></biblStruct></listBibl></div>
</back></text></TEI>"""


def read(name: str, content: bytes) -> Article:
    (entry,) = from_bytes(name, content)
    assert entry.article is not None, entry.error
    return entry.article


def table(cells: list[str]) -> str:
    return f"<w:tbl><w:tr>{''.join(f'<w:tc>{cell}</w:tc>' for cell in cells)}</w:tr></w:tbl>"


def refusal(name: str, content: bytes) -> str:
    (entry,) = from_bytes(name, content)
    assert entry.article is None
    return entry.error or ""


def told(article: Article) -> list[tuple[str, str, int, str, str]]:
    return [(s.kind.value, s.title, depth, p.kind.value, p.text) for s, depth, p in article.paragraphs()]


def test_what_grobid_writes_is_read_with_its_identifiers_sections_and_references():
    article = read("a.tei.xml", TEI.encode())
    assert (article.title, article.doi, article.pmcid, article.pmid) == ("Loss of p53", "10.1000/abc", "PMC12", "34")
    assert (article.journal, article.year, article.licence) == ("J Test", 2019, "CC BY")
    assert told(article) == [
        ("abstract", "Abstract", 0, "paragraph", "We deleted it."),
        ("body", "Introduction", 0, "paragraph", "As shown [2]."),
        ("body", "Introduction", 0, "paragraph", "One. Two."),
        ("body", "Results", 0, "paragraph", "It grew."),
        ("body", "Results", 0, "formula", "a = b"),
        ("body", "", 0, "caption", "Figure 1 Cells."),
        ("body", "", 0, "caption", "Table 1 Counts."),
        ("body", "", 0, "table", "a\tb"),
        ("back", "Acknowledgements", 0, "paragraph", "We thank X."),
    ]
    assert article.references == (Reference("Cited work", doi="10.1000/x"),)
    paragraphs = [paragraph for _, _, paragraph in article.paragraphs()]
    assert paragraphs[0].marks == (Mark(3, 10, "italic"),)
    assert paragraphs[1].cites == (Cite(9, "b1"),)
    assert article.references[0].anchors == ("b1",)


def test_lists_figures_and_notes_within_a_paragraph_of_tei_are_read_as_in_jats():
    inner = (
        "<list><item>One.</item><item>Two.</item></list><figure><head>Fig. 1</head><figDesc>Cells.</figDesc></figure>"
    )
    body = f"<div><head>Results</head><p>It grew<note>aside</note> fast:{inner}</p><note>By hand.</note></div>"
    article = read("a.tei.xml", f"<TEI><text><body>{body}</body></text></TEI>".encode())
    assert told(article) == [
        ("body", "Results", 0, "paragraph", "It grew fast:"),
        ("body", "Results", 0, "list item", "One."),
        ("body", "Results", 0, "list item", "Two."),
        ("body", "Results", 0, "caption", "Fig. 1 Cells."),
        ("body", "Results", 0, "note", "By hand."),
    ]


def test_mentions_of_figures_tables_and_unlinked_works_stay_in_the_sentences_of_tei():
    text = (
        'Shown (<ref type="figure" target="#fig_0">Fig. 1A</ref>) by <ref type="bibr">Smith et al. (2010)</ref>, '
        '<ref type="bibr" target="#b0">Doe (2012)</ref>, <ref type="table" target="#tab_0">Table 2</ref>. '
        'IL-2<hi rend="superscript"><ref type="bibr">1</ref></hi>.'
    )
    article = read("a.tei.xml", f"<TEI><text><body><div><p>{text}</p></div></body></text></TEI>".encode())
    ((_, _, paragraph),) = article.paragraphs()
    assert paragraph.text == "Shown (Fig. 1A) by Smith et al. (2010), Doe (2012), Table 2. IL-2\u20091."
    assert paragraph.cites == (Cite(40, "b0"),)


def test_tei_without_title_and_text_is_refused():
    assert "without a title" in refusal("a.xml", b"<TEI><teiHeader/></TEI>")


def test_headings_of_a_word_document_become_sections():
    article = read(
        "a.docx",
        docx(
            para("The title", "T"),
            para("https://doi.org/10.1000/ABC."),
            para("Abstract", "H1"),
            para(run("TP53", "<w:i/>") + run(" and CO") + run("2", '<w:vertAlign w:val="subscript"/>') + run(".")),
            para("2. Results", "Own"),
            para("Cells", "H2"),
            para("One item.", properties="<w:numPr/>"),
            para("Figure 1. Cells.", "C"),
            table([para("a"), "<w:p/>"]),
            table([para("b") + table([para("c")])]),
            para("See doi.org/10.1000/DATA."),
            para("References", "H1"),
            para("1. Somebody. A work. doi:10.1000/other"),
        ),
    )
    assert (article.title, article.doi) == ("The title", "10.1000/abc")
    assert told(article) == [
        ("body", "", 0, "paragraph", "https://doi.org/10.1000/ABC."),
        ("abstract", "Abstract", 0, "paragraph", "TP53 and CO2."),
        ("body", "Cells", 1, "list item", "One item."),
        ("body", "Cells", 1, "caption", "Figure 1. Cells."),
        ("body", "Cells", 1, "table", "a\t"),
        ("body", "Cells", 1, "table", "b c"),
        ("body", "Cells", 1, "paragraph", "See doi.org/10.1000/DATA."),
    ]
    marks = list(article.paragraphs())[1][2].marks
    assert [(m.start, m.end, m.style) for m in marks] == [(0, 4, "italic"), (11, 12, "sub")]


def test_headings_are_known_without_styles_by_their_names_and_by_bold_print():
    bold = run("Cells were grown", "<w:b/>")
    article = read("a.docx", docx(para("A title"), para("METHODS"), para(bold), para("They grew."), styles=""))
    assert article.title == "A title"
    assert told(article) == [("body", "Cells were grown", 1, "paragraph", "They grew.")]


def test_deleted_text_fields_and_second_forms_are_left_out_and_inserted_text_is_kept():
    changed = (
        "<w:ins>" + run("kept") + "</w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:r><w:instrText>ADDIN EN.CITE</w:instrText></w:r><w:hyperlink>" + run(" linked") + "</w:hyperlink>"
        "<w:r><w:tab/><w:t>non</w:t><w:noBreakHyphen/><w:t>x</w:t></w:r>"
    )
    article = read("a.docx", docx(para("T", "T"), para(changed)))
    assert told(article)[0][-1] == "kept linked non\u2011x"


def test_one_paragraph_is_an_article_under_the_files_name():
    article = read("folder/my notes.docx", docx(para("Only this.")))
    assert article.title == "my notes"
    assert [(s.kind, p.kind) for s, _, p in article.paragraphs()] == [(SectionKind.BODY, ParagraphKind.PARAGRAPH)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (docx(para("")), "without text"),
        (docx(para("Text."))[:-30], "damaged"),
        (zipped({"word/document.xml": b"<a"}), "not well-formed"),
        (zipped({"a.txt": b"Text."}), "no Word document"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "old (doc, xls, ppt) or has a password"),
    ],
)
def test_what_is_no_word_document_is_refused(content, reason):
    assert reason in refusal("a.docx", content)


NAMESPACES = (
    "xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math' "
    "xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006'"
)


def test_word_symbols_and_formulas_keep_their_signs():
    symbols = "".join(f"<w:r><w:sym w:font='{font}' w:char='{code}'/></w:r>" for font, code in (
        ("Symbol", "F062"), ("Symbol", "006D"), ("Wingdings", "F04A"), ("Symbol", "odd")
    ))  # fmt: skip
    fraction = "<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
    power = "<m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e><m:sup><m:r><m:t>3</m:t></m:r></m:sup></m:sSup>"
    formula = f"<m:oMath {NAMESPACES}>{fraction}{power}</m:oMath>"
    article = read(
        "a.docx", docx(para(run("A title")), f"<w:p>{symbols}</w:p>", f"<w:p>{run('It is ')}{formula}</w:p>")
    )
    *_, letters, last = (paragraph for _, _, paragraph in article.paragraphs())
    assert (letters.text, last.text) == ("βμ��", "It is (a+b)/2103")
    assert [last.text[mark.start : mark.end] for mark in last.marks] == ["3"]


def test_the_text_of_a_word_text_box_is_its_own_paragraphs_once():
    inner = para(run("Figure 1. The cells.")) + para(run("Scale bar, 5 µm."))
    box = (
        f"<w:r {NAMESPACES}><mc:AlternateContent><mc:Choice><w:txbxContent>{inner}</w:txbxContent></mc:Choice>"
        f"<mc:Fallback><w:txbxContent>{inner}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r>"
    )
    wrapped = f"<w:sdt><w:sdtContent><w:tc>{para(run('two'))}</w:tc></w:sdtContent></w:sdt>"
    cells = f"<w:tbl><w:tr><w:tc>{para(box + run('one'))}</w:tc>{wrapped}</w:tr></w:tbl>"
    article = read("a.docx", docx(para(run("A title")), para(box + run("We measured it.")), cells))
    assert [paragraph.text for _, _, paragraph in article.paragraphs()] == [
        "We measured it.",
        "Figure 1. The cells.",
        "Scale bar, 5 µm.",
        "one Figure 1. The cells. Scale bar, 5 µm.\ttwo",
    ]
