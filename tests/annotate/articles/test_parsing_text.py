"""Web pages, text, Markdown, CSV, and finding the files."""

from pathlib import Path

import pytest

from annotate.articles.document import Article, ParagraphKind, Section, SectionKind
from annotate.articles.parsing import find_files, from_bytes

PAGE = """<!DOCTYPE html><html><head><title>Site | Paper</title>
<meta name="citation_title" content="The paper"><meta name="citation_pmid" content="77">
<meta name="citation_doi" content="doi:10.1000/AbC"><meta name="citation_journal_title" content="J Web">
<meta name="citation_publication_date" content="2019/05/01"><script>bad()</script></head>
<body><nav>Menu</nav><main><h1>The paper</h1><h2>Abstract</h2><p>We <em>show</em> H<sub>2</sub>O.</p>
<h2>Results</h2><div>Bare text.</div><h3>Cells</h3><ul><li>One</li><li>Two<p>More</p></li></ul>
<figure><img alt="x"><figcaption>Figure 1. Cells.</figcaption></figure>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2 <b>3</b></td></tr></table>
<form>Search</form><pre>code</pre></main><footer>Foot</footer></body></html>"""


def parsed(name: str, content: str | bytes) -> Article:
    """Returns the one article of the content."""
    (entry,) = from_bytes(name, content.encode() if isinstance(content, str) else content)
    assert entry.error is None and entry.article is not None, entry.error
    return entry.article


def error(name: str, content: str | bytes) -> str:
    """Returns the reason why the content is refused."""
    (entry,) = from_bytes(name, content.encode() if isinstance(content, str) else content)
    assert entry.article is None and entry.error
    return entry.error


def outline(section: Section) -> list:
    """Returns a section as nested lists, for comparison."""
    inner = [outline(block) if isinstance(block, Section) else block.text for block in section.blocks]
    return [section.title, *inner]


def texts(article: Article) -> list[str]:
    """Returns the paragraphs' texts."""
    return [paragraph.text for _, _, paragraph in article.paragraphs()]


def test_a_web_page_gives_its_main_text_by_headings_and_its_facts_by_meta_tags() -> None:
    article = parsed("page.html", PAGE)
    assert (article.title, article.pmid, article.doi) == ("The paper", "77", "10.1000/abc")
    assert (article.journal, article.year) == ("J Web", 2019)
    cells = ["Cells", "One", "Two", "More", "Figure 1. Cells.", "a\tb", "1\t2 3", "code"]
    assert [outline(section) for section in article.sections] == [
        ["Abstract", "We show H2O."],
        ["Results", "Bare text.", cells],
    ]
    assert [section.kind for section in article.sections] == [SectionKind.ABSTRACT, SectionKind.BODY]
    styles = [mark.style for _, _, paragraph in article.paragraphs() for mark in paragraph.marks]
    assert styles == ["italic", "sub"]


def test_a_web_page_without_meta_tags_takes_its_title_element() -> None:
    assert parsed("a.htm", "<html><title>Shown</title><body><p>Text.</p></body></html>").title == "Shown"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("<html><body><script>x</script></body></html>", "without any text"),
        ("<html><body>" + "<div>" * 5000 + "x", "deeper"),
        ('<html><head><meta charset="utf-7"></head><body>+ADw-</body></html>', "utf-7"),
    ],
)
def test_a_web_page_that_is_empty_or_hostile_is_refused(content: str, reason: str) -> None:
    assert reason in error("a.html", content)


def test_pictures_and_formulas_within_a_sentence_of_a_web_page_do_not_cut_it() -> None:
    formula = "<math><mover><mi>x</mi><mo>¯</mo></mover></math>"
    page = f"<title>T</title><p>The value of <img src='a.gif' alt=''> was 5.</p><p>We used {formula} of it.</p>"
    assert texts(parsed("a.html", page)) == ["The value of was 5.", "We used x¯ of it."]


def test_the_header_of_a_section_of_a_web_page_names_it() -> None:
    page = "<title>T</title><main><header><p>Site</p></header>" + "".join(
        f"<section><header><h2>{title}</h2></header><p>{text}</p></section>"
        for title, text in (("Abstract", "We found it."), ("Results", "We did it."))
    )
    found = [(section.title, paragraph.text) for section, _, paragraph in parsed("a.html", page).paragraphs()]
    assert found == [("Abstract", "We found it."), ("Results", "We did it.")]


@pytest.mark.parametrize(("charset", "text"), [("iso-8859-2", "Źródło światła."), ("koi8-r", "Клетки мыши.")])
def test_the_encoding_that_a_web_page_declares_is_heeded(charset: str, text: str) -> None:
    page = f"<meta charset='{charset}'><title>T</title><p>{text}</p>"
    article = parsed("a.html", page.encode(charset))
    assert texts(article) == [text] and not article.warnings


def test_plain_text_is_cut_at_blank_lines_and_a_short_first_line_is_the_title() -> None:
    article = parsed("notes.txt", "A title\r\n\r\nOne line\r\nand the next, p<0.05.\r\n \t\r\nTwo.\r\n")
    assert article.title == "A title"
    assert texts(article) == ["One line and the next, p<0.05.", "Two."]


@pytest.mark.parametrize("content", ["Only one paragraph.", "Line one\nline two\n\nNext."])
def test_a_text_without_a_title_line_is_named_after_its_file(content: str) -> None:
    article = parsed("my notes.txt", content)
    assert article.title == "my notes" and texts(article)[0].split("\n")[0] in content.replace("\n", " ")


@pytest.mark.parametrize(
    ("content", "reason"),
    [("33836163\n33846635\n", "only identifiers: paste"), ("PMID- 33\nTI  - Of cells\n", "as .nbib, unpacked")],
)
def test_a_text_of_identifiers_or_references_is_refused_with_what_to_do(content: str, reason: str) -> None:
    (entry,) = from_bytes("a.txt", content.encode())
    assert entry.article is None and reason in str(entry.error)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_heeded(encoding: str) -> None:
    assert texts(parsed("a.txt", "Tïtle\n\nNaïve β.".encode(encoding))) == ["Naïve β."]


def test_an_encoding_that_had_to_be_guessed_is_named_in_a_warning() -> None:
    text = "Étude\n\nLa cellule a été modifiée après l’électroporation à 5 µg, dès le début; naïveté générale."
    article = parsed("a.txt", text.encode("cp1252"))
    assert article.warnings and "encoding guessed as" in article.warnings[0]
    assert "été modifiée après" in texts(article)[0]


MARKDOWN = """# The *TP53* story

Intro with **bold**, a_b_c, p<0.05, 2 * 3 * 4 and [a link](http://x.org/y "t").

## Abstract

We cut `TP53` and __kept__ _it_.

## Results
### Cells
- one
- two
  wrapped

| a | b |
|---|---|
| 1 | 2 |

> Quoted.

```
x = *y*
```
"""


def test_markdown_headings_become_sections_and_signs_of_emphasis_go() -> None:
    article = parsed("a.md", MARKDOWN)
    assert article.title == "The TP53 story"
    assert [outline(section) for section in article.sections] == [
        ["", "Intro with bold, a_b_c, p<0.05, 2 * 3 * 4 and a link."],
        ["Abstract", "We cut TP53 and kept it."],
        ["Results", ["Cells", "one", "two wrapped", "a\tb", "1\t2", "Quoted.", "x = *y*"]],
    ]
    assert article.sections[1].kind is SectionKind.ABSTRACT
    kinds = [paragraph.kind for _, _, paragraph in article.paragraphs()]
    assert kinds.count(ParagraphKind.LIST_ITEM) == 2 and kinds.count(ParagraphKind.TABLE) == 2
    (mark,) = (mark for _, _, paragraph in article.paragraphs() for mark in paragraph.marks)
    assert mark.style == "italic"


def test_markdown_with_an_open_code_block_loses_nothing() -> None:
    assert texts(parsed("a.md", "# T\n\nOne.\n\n```\nlast words")) == ["One.", "last words"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("```R code``` and *more*", ["R code and more"]),  # not the start of a block: it closes in its own line
        ("```\nx\n``` not the end\n```\n\nOne.", ["x ``` not the end", "One."]),
        ("**Bold over\ntwo lines** and *italic\ntoo*.", ["Bold over two lines and italic too."]),
        ("We used $10\\,\\mu$M of it.", ["We used 10 μM of it."]),
        (">" * 5000 + " deep", [">" * 4999 + " deep"]),
        ("\n".join(" " * 2 * depth + f"- item {depth}" for depth in range(200)), [f"item {n}" for n in range(200)]),
        ("[1]: https://doi.org/10.1000/x", ["[1]: https://doi.org/10.1000/x"]),
    ],
    ids=["code in a line", "no end of a block", "emphasis", "LaTeX", "deep quotes", "deep lists", "reference"],
)
def test_markdown_keeps_all_text_but_the_signs(written: str, read: list[str]) -> None:
    assert texts(parsed("a.md", "# T\n\n" + written)) == read


@pytest.mark.parametrize(("written", "read"), [("Use of C#", "Use of C#"), ("Use ##", "Use"), ("C# #", "C#")])
def test_a_markdown_heading_loses_only_signs_that_stand_apart(written: str, read: str) -> None:
    assert parsed("a.md", f"# {written}\n\nText.").title == read


def test_markdown_that_is_only_headings_keeps_them() -> None:
    assert "no text" in error("a.md", "# T")


CSV = (
    'Title,Abstract,Text,PMID,DOI,Year,License\n"A, b","We ""cut"".","One.\n\nTwo.",12,10.1000/X,2020,CC BY\nC,,D,,,,\n'
    "A title,,,,,,\n"
)


def test_each_row_of_a_csv_is_an_article() -> None:
    first, second, last = from_bytes("a.csv", CSV.encode("utf-8-sig"))
    assert (first.source, second.source) == ("a.csv › line 2", "a.csv › line 5")
    article = first.article
    assert article is not None
    assert (article.title, article.pmid, article.doi, article.year) == ("A, b", "12", "10.1000/x", 2020)
    assert article.licence == "CC BY"
    assert [outline(section) for section in article.sections] == [["Abstract", 'We "cut".'], ["", "One.", "Two."]]
    assert last.article is not None and (last.article.title, last.article.sections) == ("A title", ())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("sentence,label\nx,1\n", "needs abstract or text"),
        ("text,label\nx,1\n", "labels, not of articles"),
        ("title,text,text\na,b,c\n", "text twice"),
        ("title,text\na\n", "line 2: has 1 cells, the header has 2"),
        ("title,text,pmid\na,b,x1\n,,3\n", "line 2: pmid 'x1' is not valid; line 3: no title, no abstract and no text"),
        ('title,text\n"a,b\n', "not valid CSV"),
        ("title,text\n", "without rows"),
        ("title,text\n" + ",\n" * 25, "and 5 more"),
    ],
)
def test_a_wrong_csv_is_refused_whole_with_line_numbers(content: str, reason: str) -> None:
    assert reason in error("a.csv", content)


def test_folders_are_searched_and_named_files_are_kept(tmp_path: Path) -> None:
    for name in ("b/2.xml", "b/1.nxml", "b/c/3.XML.gz", "b/skip.jpg", "b/.hidden.xml", "odd.dat"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    found = find_files([tmp_path / "odd.dat", tmp_path / "b", tmp_path / "b" / "1.nxml"])
    assert [path.name for path in found] == ["odd.dat", "1.nxml", "2.xml", "3.XML.gz"]
    with pytest.raises(FileNotFoundError, match=r"no such file or folder: .*none"):
        find_files([tmp_path / "none"])


def test_parsing_pulls_in_neither_torch_nor_streamlit_nor_a_database() -> None:
    import subprocess
    import sys

    check = (
        "import annotate.articles.parsing, sys; print(sorted({'torch', 'streamlit', 'sqlalchemy'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


WORDS = "We knocked out TP53 in HeLa cells. "  # 35 characters
STRUCTURED = "".join(
    f"<h2>{name}</h2><p>{WORDS * 5}</p>" for name in ("Background", "Methods", "Results", "Conclusions")
)

LONG = WORDS * 200


def kinds(name: str, content: str) -> set[str]:
    return {str(section.kind) for section, _, _ in parsed(name, content).paragraphs()}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", f"A title\n\n{WORDS * 40}"),
        ("a.txt", f"A title\n\nBACKGROUND\n\n{WORDS}\n\nRESULTS\n\n{WORDS}"),
        ("a.md", f"# A title\n\n{WORDS * 40}"),
        ("a.html", f"<html><body><h1>A title</h1>{STRUCTURED}</body></html>"),
        ("a.html", f"<html><body><h2>Abstract</h2><p>{WORDS}</p><h2>Keywords</h2><p>mice</p></body></html>"),
        ("a.html", f"<html><body><h2>Highlights</h2><p>{WORDS}</p><h2>Abstract</h2><p>{WORDS}</p></body></html>"),
    ],
    ids=["text", "text with headings", "markdown", "page with headings", "page with keywords", "page with highlights"],
)
def test_a_text_with_no_more_than_an_abstract_is_one(name: str, content: str) -> None:
    assert kinds(name, content) == {"abstract"}


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.txt", f"A title\n\n{LONG}", {"body"}),  # 7,000 characters
        ("a.txt", f"A title\n\n{WORDS}\n\nReferences\n\nOne. 2020.", {"body"}),
        ("a.md", f"# A title\n\n## Results and discussion\n\n{WORDS}", {"body"}),
        ("a.html", f"<html><body><h2>Abstract</h2><p>{WORDS}</p><h2>Results</h2><p>{WORDS}</p></body></html>",
         {"abstract", "body"}),
        ("a.html", f"<html><body>{STRUCTURED}<h2>Materials and methods</h2><p>{LONG}</p></body></html>", {"body"}),
        ("a.html", f"<html><body><p>{WORDS}</p><h2>Funding</h2><p>By us.</p></body></html>", {"abstract", "back"}),
    ],
    ids=["long", "with references", "with results and discussion", "beside its abstract", "long page", "with funding"],
)  # fmt: skip
def test_a_text_with_more_than_an_abstract_is_a_full_text(name: str, content: str, found: set[str]) -> None:
    assert kinds(name, content) == found
