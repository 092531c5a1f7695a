"""The blocks of a JATS article in reading order: sections, paragraphs cut around figures, captions, rows."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from lxml import etree

from annotate.articles.document import Paragraph, ParagraphKind, Section, SectionKind
from annotate.articles.parsing.inline import InlineWriter, child, flat_run, flat_text, local_name
from annotate.articles.parsing.text_builder import TextBuilder, table_row

SECTIONS = {  # with the title used where the article gives none
    "sec": "",
    "ack": "Acknowledgements",
    "app": "Appendix",
    "bio": "Biography",
    "fn-group": "Footnotes",
    "glossary": "Glossary",
    "notes": "Notes",
    "ref-list": "References",
}
_NAMED_LABEL = re.compile(r"[^\W\d_]{3,}")  # "Box 1", "Appendix 2", but not "2.1" or "(a)"
_CAPTIONED = frozenset(
    """fig fig-group table-wrap table-wrap-group supplementary-material media graphic chem-struct-wrap
    disp-formula-group array""".split()
)


@dataclass(slots=True)
class Reading:
    """What the readers of one article share: paragraphs still unread, and formulas without text."""

    unread: dict[etree._Element, None]
    image_formulas: int = 0


def heading(element: etree._Element) -> tuple[str, list[etree._Element]]:
    """Returns a section's title and the elements it was taken from.

    A label is part of the title only if it is a word of its own ("Box 1"), not a number.
    """
    label, title = child(element, "label"), child(element, "title")
    if title is None and local_name(element) == "boxed-text":
        caption = child(element, "caption")
        title = None if caption is None else child(caption, "title")
    used = [part for part in (label, title) if part is not None]
    named, text = flat_text(label), flat_text(title)
    if not text or _NAMED_LABEL.match(named) is None:
        return text or named, used
    return f"{named}{' ' if named[-1] in '.:' else ': '}{text}", used


class BlockWriter(InlineWriter):
    """Collects the blocks of one section. A block inside a paragraph ends the run before it."""

    def __init__(self, kind: SectionKind, reading: Reading, base: ParagraphKind = ParagraphKind.PARAGRAPH) -> None:
        super().__init__(reading.unread)
        self._section_kind = kind
        self._reading = reading
        self._kind = base  # of paragraph that is being written
        self._led = False  # the run holds a label that the next paragraph continues
        self._in_paragraph = False
        self._notes: list[etree._Element] = []  # footnotes met inside a paragraph, written after it
        self._skipped: set[etree._Element] = set()
        self._blocks: list[Paragraph | Section] = []

    def blocks_of(self, element: etree._Element) -> tuple[Paragraph | Section, ...]:
        """Returns everything in the element, in reading order."""
        self.walk(element)
        self._flush()
        self._write_notes()
        return tuple(self._blocks)

    def section(self, element: etree._Element, default_title: str = "") -> Section:
        """Returns the element as one section with its own title (or the default one)."""
        title, used = heading(element)
        self._skipped.update(used)
        return Section(title or default_title, self._section_kind, self.blocks_of(element))

    def visit(self, element: etree._Element) -> None:
        """Writes one child: sections, captions and notes here, everything else as inline text."""
        name = local_name(element)
        if element in self._skipped:
            return
        if name == "fn":
            self._note(element)
        elif name in SECTIONS or name == "boxed-text":
            self._inner_section(element, name)
        elif name == "graphic" and (child(element, "caption") is not None or child(element, "label") is not None):
            self.block(element, name)
        elif name in ("permissions", "ref"):
            self._only_paragraphs(element)
        elif name == "inline-formula":
            before = self.run.length
            self.walk(element)
            self._reading.image_formulas += self.run.length == before
        else:
            super().visit(element)

    def block(self, element: etree._Element, name: str) -> None:
        """Writes one block as paragraphs of its own."""
        if name in ("p", "title"):
            self._paragraph(element)
        elif name in _CAPTIONED:
            with self._within(ParagraphKind.CAPTION):
                self._labelled(element)
        elif name == "tr":
            self._flush()
            cells = [cell for cell in element if local_name(cell) in ("td", "th", "entry")]
            row = table_row([flat_run(cell, self.unread) for cell in cells])
            self._blocks += [row] if row is not None else []
        elif name == "disp-formula":
            self._formula(element)
        elif name in ("list-item", "def-item"):
            with self._within(ParagraphKind.LIST_ITEM):
                self._labelled(element)
        elif name == "caption":
            boxed = local_name(element.getparent()) == "boxed-text"
            with self._within(self._kind if boxed else ParagraphKind.CAPTION):
                self._apart(element)
        elif name in ("table-wrap-foot", "attrib"):
            with self._within(ParagraphKind.NOTE):
                self._apart(element)
        elif name in ("statement", "speech"):
            self._labelled(element)
        else:
            self._apart(element)

    def _paragraph(self, element: etree._Element) -> None:
        if not self._led:
            self._flush()
        self._led = False
        outer, self._in_paragraph = self._in_paragraph, True
        self.walk(element)
        self._in_paragraph = outer
        self._flush()
        if not outer:
            self._write_notes()

    def _apart(self, element: etree._Element) -> None:
        if not self._led:
            self._flush()
        outer, self._in_paragraph = self._in_paragraph, False
        self.walk(element)
        self._in_paragraph = outer
        self._flush()

    def _labelled(self, element: etree._Element) -> None:
        """Writes a block whose label (or speaker, or defined term) opens its first paragraph."""
        self._flush()
        for name in ("label", "term", "speaker"):
            label = child(element, name)
            if label is not None and label not in self._skipped:
                self._skipped.add(label)
                before = self.run.length
                self.walk(label)
                if self.run.length > before:
                    self.run.add(": " if name == "term" else " ")
                    self._led = True
        self._apart(element)

    def _formula(self, element: etree._Element) -> None:
        label = child(element, "label")
        if label is not None:
            self._skipped.add(label)
        self._flush()
        with self._within(ParagraphKind.FORMULA):
            self.walk(element)
            if not self.run.text:
                self._reading.image_formulas += 1
            elif label is not None:
                self.run.add(" ")
                self.walk(label)

    def _note(self, element: etree._Element) -> None:
        if self._in_paragraph:
            self._notes.append(element)
        else:
            with self._within(ParagraphKind.NOTE):
                self._labelled(element)

    def _write_notes(self) -> None:
        while self._notes:
            notes, self._notes = self._notes, []
            for note in notes:
                self._note(note)

    def _only_paragraphs(self, element: etree._Element) -> None:
        """Writes the notes within a reference or a figure's licence, and nothing else of it."""
        for paragraph in element.iter("{*}p"):
            if paragraph in self.unread:
                self.unread.pop(paragraph)
                with self._within(ParagraphKind.NOTE):
                    self._paragraph(paragraph)

    def _inner_section(self, element: etree._Element, name: str) -> None:
        self._flush()
        notes = name in ("fn-group", "notes") or self._kind is ParagraphKind.NOTE  # notes stay notes all the way down
        inner = BlockWriter(self._section_kind, self._reading, ParagraphKind.NOTE if notes else ParagraphKind.PARAGRAPH)
        section = inner.section(element, SECTIONS.get(name, ""))
        if not section.title:
            self._blocks.extend(section.blocks)
        elif section.blocks or name == "sec":
            self._blocks.append(section)

    @contextmanager
    def _within(self, kind: ParagraphKind) -> Iterator[None]:
        if not self._led:  # a label that waits for its text belongs to the next paragraph
            self._flush()
        outer, self._kind = self._kind, kind
        yield
        self._flush()
        self._kind = outer

    def _flush(self) -> None:
        paragraph = self.run.paragraph(self._kind)
        if paragraph is not None:
            self._blocks.append(paragraph)
        self.run = TextBuilder()
        self._led = False
