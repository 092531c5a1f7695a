"""Text under construction: cleaned as each part is added, so that the marks (italic, ...) keep their places."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from annotate.articles.document import Cite, Mark, Paragraph, ParagraphKind
from annotate.articles.parsing.latex import replace_fragments

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SPACES = re.compile("[ \t\n\r]+")  # ASCII only: a no-break or thin space is part of the text
_BYTE_ORDER_MARK = "\ufeff"
_THIN_SPACE = "\u2009"


class TextBuilder:
    """Collects text and marks. ASCII white space collapses to one space, control characters go."""

    __slots__ = ("_after_space", "_cites", "_marks", "_parts", "length")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._marks: list[Mark] = []
        self._cites: list[Cite] = []
        self._after_space = True  # so a leading space is dropped
        self.length = 0

    def add(self, text: str | None) -> None:
        """Appends text, cleaned; LaTeX between dollar signs becomes text."""
        if not text:
            return
        # Most texts are clean, which is told in a tenth of the time. No control character or line end is printable.
        clean = "  " not in text and "$" not in text and text.isprintable()
        cleaned = text if clean else _SPACES.sub(" ", _CONTROL.sub("", replace_fragments(text)))
        if self.length == 0:
            cleaned = cleaned.lstrip(_BYTE_ORDER_MARK)
        if self._after_space:
            cleaned = cleaned.removeprefix(" ")
        if cleaned:
            self._parts.append(cleaned)
            self.length += len(cleaned)
            self._after_space = cleaned.endswith(" ")

    def set_apart(self, text: str) -> None:
        """Appends a thin space if the text, which comes next, would run into the word or number before it."""
        if self._parts and self._parts[-1][-1].isalnum() and text[:1].isalnum():
            self.add(_THIN_SPACE)

    @contextmanager
    def styled(self, style: str) -> Iterator[None]:
        """Marks the text that is added meanwhile with a style; "" is none."""
        start = self.length
        yield
        if style and self.length > start:
            self._marks.append(Mark(start, self.length, style))

    def cite(self, anchor: str, last: str = "") -> None:
        """Notes that an entry of the reference list is named here, or all from there to `last`."""
        self._cites.append(Cite(self.length, anchor, last))

    def cites(self, shift: int = 0) -> tuple[Cite, ...]:
        """Returns the places that cite, in text order, moved by `shift`."""
        if not self._cites:
            return ()
        return tuple(Cite(cite.at + shift, cite.anchor, cite.last) for cite in self._cites)

    @property
    def text(self) -> str:
        """The text so far, without a space at its end."""
        return "".join(self._parts).removesuffix(" ")

    def marks(self, shift: int = 0) -> tuple[Mark, ...]:
        """Returns the marks in text order, clipped to words (no white space at either end) and moved by `shift`."""
        if not self._marks:
            return ()
        text = self.text
        kept = []
        for mark in self._marks:
            inside = text[mark.start : mark.end]
            start = mark.start + len(inside) - len(inside.lstrip())
            if (end := mark.start + len(inside.rstrip())) > start:
                kept.append(Mark(start + shift, end + shift, mark.style))
        return tuple(sorted(kept, key=lambda mark: (mark.start, -mark.end)))

    def paragraph(self, kind: ParagraphKind = ParagraphKind.PARAGRAPH) -> Paragraph | None:
        """Returns the paragraph, or None if there is no text."""
        text = self.text if self._parts else ""
        return Paragraph(text, kind, self.marks(), self.cites()) if text else None


def text_paragraph(text: str, kind: ParagraphKind = ParagraphKind.PARAGRAPH) -> Paragraph | None:
    """Returns plain text as a cleaned paragraph, or None if nothing is left of it."""
    run = TextBuilder()
    run.add(text)
    return run.paragraph(kind)


def table_row(cells: Sequence[TextBuilder]) -> Paragraph | None:
    """Returns one table row, its cells joined by a tab, or None if every cell is empty."""
    texts = [cell.text for cell in cells]
    if not any(texts):
        return None
    marks: list[Mark] = []
    cites: list[Cite] = []
    start = 0
    for cell, text in zip(cells, texts, strict=True):
        marks.extend(cell.marks(shift=start))
        cites.extend(cell.cites(shift=start))
        start += len(text) + 1
    return Paragraph("\t".join(texts), ParagraphKind.TABLE, tuple(marks), tuple(cites))
