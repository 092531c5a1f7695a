"""Word documents (.docx), Office Open XML: headings as sections, rows of tables as in JATS, no references.

Read with lxml as all other XML here is, within the same limits. Deleted text of tracked changes, notes, comments,
headers and footers are left out. https://ecma-international.org/publications-and-standards/standards/ecma-376/
"""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from annotate.articles.document import Article, ParagraphKind, UnreadableArticle
from annotate.articles.parsing.entry import bare_name
from annotate.articles.parsing.identifiers import as_doi
from annotate.articles.parsing.inline import local_name
from annotate.articles.parsing.limits import ARTICLE_BYTES, DOCX_BYTES, MB, ZIP_RATIO, ZIP_RATIO_FROM_BYTES
from annotate.articles.parsing.outline import Outline, is_main, is_references, level_of, without_number
from annotate.articles.parsing.plaintext import clean_line
from annotate.articles.parsing.safe_xml import parse_xml
from annotate.articles.parsing.streams import Source, check_directory
from annotate.articles.parsing.text_builder import TextBuilder, table_row

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = b"http://purl.oclc.org/ooxml/wordprocessingml/main"
_HEADING = re.compile(r"heading (\d)")
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # the same again for old readers
_WRAPPERS = ("sdt", "sdtContent", "customXml", "ins", "moveTo")
# The font Symbol by its codes, which Word writes with or without F000. https://www.unicode.org/Public/MAPPINGS/VENDORS/ADOBE
_SYMBOLS = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-@^~\xa2\xa3\xa5\xab\xac\xad\xae\xaf\xb0\xb1\xb2\xb3\xb4\xb5"
        "\xb6\xb7\xb8\xb9\xba\xbb\xc4\xc5\xce\xd1\xd6\xde\xe5\xf2",
        "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖαβχδεφγηιϕκλμνοπθρστυϖωξψζ−≅⊥∼′≤∞↔←↑→↓°±″≥×∝∂•÷≠≡≈⊗⊕∈∇√⇒∑∫",
        strict=True,
    )
)
_UNKNOWN = "\ufffd"
_RAISED = {"superscript": "sup", "subscript": "sub"}
_LETTERS = {"noBreakHyphen": "\u2011", "tab": " ", "br": " ", "cr": " "}
_LEFT_OUT = frozenset(
    """del moveFrom instrText delText footnoteReference endnoteReference commentReference Fallback pPr rPr
    txbxContent""".split()
)
_BROKEN = (KeyError, NotImplementedError, RuntimeError, ValueError, OSError, EOFError)  # what zipfile raises
_TITLE_CHARACTERS = 300
_DOI = re.compile(r"(?:doi:\s*|doi\.org/)(10\.\d{4,9}/[^\s\"<>]+)", re.IGNORECASE)
_MAIN_PART, _STYLES_PART = "word/document.xml", "word/styles.xml"


@dataclass(frozen=True, slots=True)
class _Style:
    """What a paragraph style says of its paragraphs."""

    name: str = ""
    level: int = 0  # of a heading, 0 where it is none
    bold: bool = False
    listed: bool = False


def read(source: Source) -> Article:
    """Returns the article of a Word document. UnreadableArticle for one without text, damaged or beyond the limits."""
    file = io.BytesIO(source.read(DOCX_BYTES))
    try:
        check_directory(file)
        with zipfile.ZipFile(file) as archive:
            if _MAIN_PART not in archive.namelist():
                raise UnreadableArticle(f"is no Word document: it holds no {_MAIN_PART}")
            body = _part(archive, _MAIN_PART)
            styles = _styles(_part(archive, _STYLES_PART)) if _STYLES_PART in archive.namelist() else {}
    except UnreadableArticle:
        raise
    except (zipfile.BadZipFile, zlib.error, struct.error, *_BROKEN) as error:
        raise UnreadableArticle(f"is a Word document that is damaged: {error}") from error
    reader = _Reader(styles)
    reader.read(body)
    return reader.article(source.name)


def _part(archive: zipfile.ZipFile, name: str) -> etree._Element:
    entry = archive.getinfo(name)
    if entry.flag_bits & 0x1:
        raise UnreadableArticle("is an encrypted Word document: save it without a password")
    cap = min(ARTICLE_BYTES, max(ZIP_RATIO_FROM_BYTES, ZIP_RATIO * entry.compress_size))
    with archive.open(entry) as file:
        content = file.read(cap + 1)
    if len(content) > cap:
        raise UnreadableArticle(f"holds a text that inflates to more than {cap // MB} MB, as a zip bomb does")
    return parse_xml(content.replace(_STRICT, _W[1:-1].encode()))


def _styles(root: etree._Element) -> dict[str, _Style]:
    """The paragraph styles by their ids. What a style is based on counts where it says nothing itself."""
    found: dict[str, _Style] = {}
    elements = {one.get(_W + "styleId", ""): one for one in root.iter(_W + "style")}
    for name, element in elements.items():
        chain, at = [element], element
        while (base := at.find(_W + "basedOn")) is not None and len(chain) < 20:
            at = elements.get(base.get(_W + "val", ""), at)
            chain.append(at)
        title = (_value(element, "name") or name).lower()
        level = next(filter(None, map(_level, chain)), 0)
        bold = next((_is_on(mark) for one in chain if (mark := one.find(f"{_W}rPr/{_W}b")) is not None), False)
        listed = any(one.find(f"{_W}pPr/{_W}numPr") is not None for one in chain)
        found[name] = _Style(title, level, bold, listed)
    return found


def _level(style: etree._Element) -> int:
    if named := _HEADING.match((_value(style, "name") or "").lower()):
        return int(named[1])
    outline = style.find(f"{_W}pPr/{_W}outlineLvl")
    number = "" if outline is None else outline.get(_W + "val", "")
    return int(number) + 1 if number.isdecimal() and int(number) < 9 else 0


def _value(element: etree._Element, name: str) -> str | None:
    found = element.find(_W + name)
    return None if found is None else found.get(_W + "val")


def _is_on(mark: etree._Element | None) -> bool:
    return mark is not None and mark.get(_W + "val", "1") not in ("0", "false", "off")


class _Reader:
    """Turns paragraphs and tables into title, headings and paragraphs."""

    def __init__(self, styles: dict[str, _Style]) -> None:
        self.outline = Outline()
        self.title = ""
        self._dois: set[str] = set()
        self._styles = styles
        self._has_heading = False
        self._in_references = False

    def article(self, name: str) -> Article:
        """The parsed article; its title is the file's name where none was found."""
        title = self.title or self.outline.take_title(_TITLE_CHARACTERS)
        sections = self.outline.sections()
        if not sections:
            raise UnreadableArticle("is a Word document without text")
        doi = as_doi(self._dois.pop()) if len(self._dois) == 1 else None
        return Article(title or bare_name(name), doi=doi, sections=sections)

    def read(self, part: etree._Element) -> None:
        """Reads all paragraphs and tables of a part in their order."""
        for element in part:
            name = local_name(element)
            if name == "p":
                self._paragraph(element)
            elif name == "tbl":
                self._table(element)
            elif name in ("document", "body", *_WRAPPERS):
                self.read(element)

    def _paragraph(self, element: etree._Element) -> None:
        self._own_text(element)
        for box in _text_boxes(element):  # they float next to the paragraph
            self.read(box)

    def _own_text(self, element: etree._Element) -> None:
        run = TextBuilder()
        _write(element, run)
        text, properties = run.text, element.find(_W + "pPr")
        if not text:
            return
        style = self._styles.get((None if properties is None else _value(properties, "pStyle")) or "", _Style())
        if not self._has_heading:  # those below a heading are of other works and of data
            self._dois |= {found.rstrip(".,;)").lower() for found in _DOI.findall(text)}
        level = style.level or self._direct_level(element, properties, text, style)
        if style.name == "title" and not self.title:
            self.title = text
        elif level:
            self._heading(level, text)
        elif not self._in_references:
            listed = style.listed or (properties is not None and properties.find(_W + "numPr") is not None)
            kind = ParagraphKind.LIST_ITEM if listed else ParagraphKind.PARAGRAPH
            self.outline.add(run.paragraph(ParagraphKind.CAPTION if style.name == "caption" else kind))

    def _direct_level(
        self, element: etree._Element, properties: etree._Element | None, text: str, style: _Style
    ) -> int:
        """The level of a heading that no style names: an outline level, or a section's name in bold or alone."""
        outline = None if properties is None else _value(properties, "outlineLvl")
        if outline is not None and outline.isdecimal() and int(outline) < 9:
            return int(outline) + 1
        if is_main(text):
            return 1
        short = len(text) < 100 and not text.endswith((".", ",", ";", ":"))
        marks = [run.find(f"{_W}rPr/{_W}b") for run in element.iter(_W + "r") if run.findtext(_W + "t", "").strip()]
        bold = bool(marks) and all(style.bold if mark is None else _is_on(mark) for mark in marks)
        return (level_of(text) or 2) if short and self._has_heading and bold else 0

    def _heading(self, level: int, text: str) -> None:
        self._has_heading = True
        if is_main(text) or level == 1:
            self._in_references = is_references(text)
        if not self._in_references:
            self.outline.heading(level, clean_line(without_number(text)))

    def _table(self, table: etree._Element) -> None:
        for row in table.iter(_W + "tr"):
            if next(row.iterancestors(_W + "tbl")) is not table:  # of a table in a cell, which is read with the cell
                continue
            if not self._in_references:
                self.outline.add(table_row([_cell_text(cell) for cell in _cells(row)]))


def _text_boxes(element: etree._Element) -> Iterator[etree._Element]:
    for inner in element:
        name = local_name(inner)
        if name == "txbxContent":
            yield inner
        elif name != "Fallback":
            yield from _text_boxes(inner)


def _cells(row: etree._Element) -> Iterator[etree._Element]:
    for inner in row:
        name = local_name(inner)
        if name == "tc":
            yield inner
        elif name in _WRAPPERS:
            yield from _cells(inner)


def _cell_text(cell: etree._Element) -> TextBuilder:
    run = TextBuilder()
    for paragraph in cell.iter(_W + "p"):
        if next(paragraph.iterancestors(_FALLBACK), None) is None:
            _write(paragraph, run)
            run.add(" ")
    return run


def _write(element: etree._Element, run: TextBuilder) -> None:
    for inner in element:
        name = local_name(inner)
        if name == "t":
            run.add(inner.text)
        elif name in _LETTERS:
            run.add(_LETTERS[name])
        elif name == "sym":
            run.add(_symbol(inner))
        elif name in ("num", "den"):  # of a fraction in a formula
            run.add("/" if name == "den" else None)
            grouped = not "".join(inner.itertext()).strip().isalnum()
            run.add("(" if grouped else None)
            _write(inner, run)
            run.add(")" if grouped else None)
        elif name in ("sub", "sup"):
            with run.styled(name):
                _write(inner, run)
        elif name == "r":
            properties = inner.find(_W + "rPr")
            raised = "" if properties is None else _RAISED.get(_value(properties, "vertAlign") or "", "")
            slanted = properties is not None and _is_on(properties.find(_W + "i"))
            with run.styled(raised or ("italic" if slanted else "")):
                _write(inner, run)
        elif name and name not in _LEFT_OUT:
            _write(inner, run)


def _symbol(element: etree._Element) -> str:
    """A letter or sign that Word writes by its place in a font; a mark of an unknown one for any other font."""
    try:
        code = int(element.get(_W + "char", ""), 16) & 0xFF
    except ValueError:
        return _UNKNOWN
    return _SYMBOLS.get(chr(code), _UNKNOWN) if element.get(_W + "font", "").lower() == "symbol" else _UNKNOWN
