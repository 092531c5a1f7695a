"""Typesets parsed articles as journals print them, for tests and measurements of the PDF reader. Needs reportlab.

Easier than real journals: one program wrote the file, letters stand in the order of reading, no picture holds text.
Harder in two ways: reportlab loses the hyphen of a word that two columns divide, and names letters beyond U+FFFF
wrongly.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY, TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    NextPageTemplate,
    PageTemplate,
    Spacer,
    Table,
)
from reportlab.platypus import Paragraph as Printed
from reportlab.platypus.doctemplate import LayoutError

from annotate.articles.document import Article, Paragraph, ParagraphKind, SectionKind

_VOWEL, _OTHER = "[aeiouy]", "[bcdfghjklmnpqrstvwxz]"
_SYLLABLE = re.compile(
    rf"(?<={_VOWEL}{_OTHER})(?={_OTHER}{_VOWEL}[a-z]{{2}})|(?<=[a-z]{_VOWEL})(?={_OTHER}{_VOWEL}[a-z]{{2}})"
)
_WORD = re.compile(r"[a-z]{6,}")
_NUMBERED = re.compile(r"(?:Fig|Table)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Layout:
    """How an article is printed."""

    name: str
    font: str = "STIXGeneral"
    columns: int = 2
    size: float = 9.5
    capitals: bool = False  # of main headings
    numbered: bool = False
    spaced: bool = False  # paragraphs apart instead of indented
    justified: bool = True
    hyphens: bool = True
    divided: bool = True  # also at hyphens that words have
    wide_abstract: bool = True  # over both columns
    abstract_heading: bool = True


def fonts() -> dict[str, Path]:
    """Fonts that hold the letters of science, from matplotlib's files."""
    spec = find_spec("matplotlib")
    if spec is None or spec.origin is None:
        raise SystemExit("matplotlib's fonts are needed: pip install matplotlib")
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    return {path.stem: path for path in folder.glob("*.ttf")}


_BOLD = {"STIXGeneral": "STIXGeneralBol", "DejaVuSans": "DejaVuSans-Bold", "DejaVuSerif": "DejaVuSerif-Bold"}
_ITALIC = {"STIXGeneral": "STIXGeneralItalic", "DejaVuSans": "DejaVuSans-Oblique", "DejaVuSerif": "DejaVuSerif-Italic"}


class _Fonts:
    """The fonts of a layout, and what stands in for letters that they lack."""

    def __init__(self, name: str) -> None:
        files = fonts()
        for one in {name, _BOLD[name], _ITALIC[name], "DejaVuSans"}:
            if one not in pdfmetrics.getRegisteredFontNames():
                pdfmetrics.registerFont(TTFont(one, str(files[one])))
        pdfmetrics.registerFontFamily(name, name, _BOLD[name], _ITALIC[name], _BOLD[name])
        self.name, self.bold = name, _BOLD[name]
        self._known = set(pdfmetrics.getFont(name).face.charToGlyph)

    def written(self, text: str, *, hyphens: bool) -> str:
        """The text as reportlab's markup, with places where words may be divided."""
        if hyphens:
            text = _WORD.sub(lambda word: _SYLLABLE.sub("\u00ad", word[0]), text)
        pieces = re.split(r"([^\x00-\xff\u2010-\u2019]+)", text)
        return "".join(self._piece(piece) for piece in pieces)

    def _piece(self, piece: str) -> str:
        lacking = any(ord(letter) not in self._known for letter in piece if letter not in "\u00ad")
        return f'<font name="DejaVuSans">{escape(piece)}</font>' if lacking else escape(piece)


def typeset(article: Article, layout: Layout) -> bytes:
    """The article as a PDF: title, authors, abstract, columns, heads, feet, captions, tables, references."""
    try:
        return _built(article, layout)
    except (LayoutError, AssertionError, AttributeError, ValueError):  # reportlab stumbles over some divided words
        return _built(article, replace(layout, divided=False))


def _built(article: Article, layout: Layout) -> bytes:
    fonts_, buffer = _Fonts(layout.font), io.BytesIO()
    document = BaseDocTemplate(buffer, pagesize=A4, title="Microsoft Word - final_v3.doc", author="")
    story = list(_story(article, layout, fonts_))
    used = 0.0
    if layout.wide_abstract:  # as high as the matter over both columns
        head = story[: next(n for n, one in enumerate(story) if one is FrameBreak)]
        used = sum(_height(one, A4[0] - 100) for one in head) + 30
        if used > 0.7 * A4[1]:
            return _built(article, replace(layout, wide_abstract=False))
    document.addPageTemplates(_templates(layout, fonts_, used, article.title))
    document.build(story)
    return buffer.getvalue()


def _height(one: Flowable, width: float) -> float:
    if isinstance(one, NextPageTemplate):
        return 0.0
    style = getattr(one, "style", None)
    around = (style.spaceBefore + style.spaceAfter) if style is not None else 0
    return float(one.wrap(width, 2_000)[1]) + around


def _templates(layout: Layout, fonts_: _Fonts, used: float, title: str) -> list[PageTemplate]:
    width, height = A4
    gutter, edge, foot, top = 16.0, 50.0, 60.0, height - 60.0
    each = (width - 2 * edge - gutter * (layout.columns - 1)) / layout.columns

    def frames(upper: float) -> list[Frame]:
        lefts = [edge + number * (each + gutter) for number in range(layout.columns)]
        return [Frame(left, foot, each, upper - foot, 0, 0, 0, 0) for left in lefts]

    def heads(canvas: Any, document: Any) -> None:
        canvas.setFont(fonts_.name, 8)
        number = document.page
        canvas.drawString(edge, height - 40, "Somebody et al." if number % 2 else f"{title[:40]} ...")
        canvas.drawRightString(width - edge, height - 40, f"Journal of Print 2020, {number + 100}")
        canvas.drawCentredString(width / 2, 36, str(number))
        canvas.drawString(edge, 36, "www.journal-of-print.org")

    first = frames(top - used)
    if used:
        first.insert(0, Frame(edge, top - used, width - 2 * edge, used, 0, 0, 0, 0))
    return [PageTemplate("first", first, onPage=heads), PageTemplate("later", frames(top), onPage=heads)]


def _story(article: Article, layout: Layout, fonts_: _Fonts) -> Iterator[Flowable]:
    styles = _styles(layout, fonts_)

    def printed(text: str, style: str) -> Printed:
        hyphens = layout.hyphens and style not in ("title", "main", "inner")
        return Printed(fonts_.written(text, hyphens=hyphens), styles[style])

    yield NextPageTemplate("later")
    yield printed(article.title, "title")
    yield printed("Ann Author1, Ben Writer2,*, Cleo Scribe1", "authors")
    yield printed("1 Department of Letters, University of Somewhere. 2 Institute of Print, Elsewhere.", "small")
    blocks = list(_blocks(article))
    abstract = [one for one in blocks if one[0] is SectionKind.ABSTRACT]
    yield from (printed(text, style) for _, text, style in abstract if layout.abstract_heading or style != "main")
    if layout.wide_abstract:
        yield printed("Keywords: printing; reading; letters", "small")
        yield FrameBreak
    floats = [one for one in blocks if one[2] == "caption"]
    body = [one for one in blocks if one[0] is not SectionKind.ABSTRACT and one[2] != "caption"]
    pace = max(1, len(body) // (len(floats) + 1))
    mains = 0
    for number, (_, text, style) in enumerate(body):
        if style == "main":
            mains += 1
            heading = f"{mains}. {text}" if layout.numbered else text
            yield printed(heading.upper() if layout.capitals else heading, style)
        else:
            yield printed(text, style)
        if number % pace == pace - 1 and floats:
            yield from _float(printed, floats.pop(0)[1], len(floats), fonts_)
    for _, text, _ in floats:
        yield printed(text, "caption")
    yield printed("REFERENCES" if layout.capitals else "References", "main")
    for number, reference in enumerate(article.references, 1):
        yield printed(
            f"{number}. Somebody A, Other B (2001) {reference.title} J Print 12: {number}–{number + 9}.", "reference"
        )


def _float(printed: Any, caption: str, number: int, fonts_: _Fonts) -> Iterator[Flowable]:
    """A place for a picture, or a table, with its caption."""
    yield Spacer(1, 12)
    if number % 3 == 1:
        cells = [
            ["Group", "n", "Mean", "P"],
            *([f"Arm {row}", str(row * 7), f"{row}.5 ± 0.2", "0.0" + str(row)] for row in range(1, 6)),
        ]
        yield Table(cells, style=[("FONT", (0, 0), (-1, -1), fonts_.name, 7.5)])
    else:
        yield Spacer(1, 80)
    yield printed(caption if _NUMBERED.match(caption) else f"Figure {number + 1}. {caption}", "caption")
    yield Spacer(1, 12)


def _blocks(article: Article) -> Iterator[tuple[SectionKind, str, str]]:
    """(kind of the section, text, style) of what is printed; no tables, no notes."""
    before = None
    for section, depth, paragraph in article.paragraphs():
        if section.kind not in (SectionKind.ABSTRACT, SectionKind.BODY):
            continue
        if section is not before and section.title and paragraph.kind is not ParagraphKind.CAPTION:
            yield section.kind, section.title, "inner" if depth else "main"
        before = before if paragraph.kind is ParagraphKind.CAPTION else section
        if style := _style_of(paragraph):
            yield section.kind, paragraph.text, style


def _style_of(paragraph: Paragraph) -> str:
    kinds = {ParagraphKind.PARAGRAPH: "text", ParagraphKind.LIST_ITEM: "text", ParagraphKind.CAPTION: "caption"}
    return kinds.get(paragraph.kind, "")


def _styles(layout: Layout, fonts_: _Fonts) -> dict[str, ParagraphStyle]:
    size = layout.size
    text = ParagraphStyle(
        "text",
        fontName=fonts_.name,
        fontSize=size,
        leading=1.22 * size,
        alignment=TA_JUSTIFY if layout.justified else TA_LEFT,
        firstLineIndent=0 if layout.spaced else 1.2 * size,
        spaceAfter=0.7 * size if layout.spaced else 0,
        embeddedHyphenation=int(layout.divided),
    )

    def like(name: str, factor: float, **changes: Any) -> ParagraphStyle:
        own = {"fontSize": factor * size, "leading": 1.2 * factor * size, "firstLineIndent": 0, "spaceAfter": 4}
        return ParagraphStyle(name, text, **(own | changes))

    plain = {"alignment": TA_LEFT, "embeddedHyphenation": 0}
    return {
        "text": text,
        "title": like("title", 1.9, fontName=fonts_.bold, spaceAfter=8, **plain),
        "authors": like("authors", 1.1, **plain),
        "small": like("small", 0.8, **plain),
        "main": like("main", 1.2, fontName=fonts_.bold, spaceBefore=8, keepWithNext=1, **plain),
        "inner": like("inner", 1.0, fontName=fonts_.bold, spaceBefore=5, keepWithNext=1, **plain),
        "caption": like("caption", 0.84, spaceBefore=3),
        "reference": like("reference", 0.84, leftIndent=10, firstLineIndent=-10, spaceAfter=1),
        "centred": like("centred", 1.0, alignment=TA_CENTER),
    }
