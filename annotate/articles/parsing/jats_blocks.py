"""The blocks of a JATS article in reading order: sections, paragraphs cut around figures, captions, rows."""

from collections.abc import Callable
from functools import partial

from lxml import etree

from annotate.articles.document import Paragraph, ParagraphKind, Section, SectionKind
from annotate.articles.parsing.inline import InlineWriter, child, flat_run, local_name
from annotate.articles.parsing.jats_headings import SECTIONS, Reading, heading, kind_in
from annotate.articles.parsing.text_builder import TextBuilder, table_row

_CAPTIONED = frozenset(
    """fig fig-group table-wrap table-wrap-group supplementary-material media graphic chem-struct-wrap
    disp-formula-group array""".split()
)
_BLOCK = Callable[[], None]


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
            self._inline_formula(element)
        else:
            super().visit(element)

    def block(self, element: etree._Element, name: str) -> None:
        """Writes one block as paragraphs of its own."""
        if name in ("p", "title"):
            self._paragraph(element)
        elif name in _CAPTIONED:
            self._within(ParagraphKind.CAPTION, lambda: self._labelled(element))
        elif name == "tr":
            self._row(element)
        elif name == "disp-formula":
            self._formula(element)
        elif name in ("list-item", "def-item"):
            self._within(ParagraphKind.LIST_ITEM, lambda: self._labelled(element))
        elif name == "caption":
            boxed = local_name(element.getparent()) == "boxed-text"
            self._within(self._kind if boxed else ParagraphKind.CAPTION, lambda: self._apart(element))
        elif name in ("table-wrap-foot", "attrib"):
            self._within(ParagraphKind.NOTE, lambda: self._apart(element))
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

    def _labelled(self, element: etree._Element, sign: str = " ") -> None:
        """Writes a block whose label (or speaker, or defined term) opens its first paragraph."""
        self._flush()
        for name in ("label", "term", "speaker"):
            label = child(element, name)
            if label is not None and label not in self._skipped:
                self._skipped.add(label)
                self._lead(label, ": " if name == "term" else sign)
        self._apart(element)

    def _lead(self, element: etree._Element, sign: str) -> None:
        before = self.run.length
        self.walk(element)
        if self.run.length > before:
            self.run.add(sign)
            self._led = True

    def _formula(self, element: etree._Element) -> None:
        label = child(element, "label")
        if label is not None:
            self._skipped.add(label)
        self._flush()
        self._within(ParagraphKind.FORMULA, lambda: self._formula_text(element, label))

    def _formula_text(self, element: etree._Element, label: etree._Element | None) -> None:
        self.walk(element)
        if not self.run.text:
            self._reading.image_formulas += 1
        elif label is not None:
            self.run.add(" ")
            self.walk(label)
        self._flush()

    def _inline_formula(self, element: etree._Element) -> None:
        before = self.run.length
        self.walk(element)
        if self.run.length == before:
            self._reading.image_formulas += 1

    def _row(self, element: etree._Element) -> None:
        self._flush()
        cells = [cell for cell in element if local_name(cell) in ("td", "th", "entry")]
        row = table_row([flat_run(cell, self.unread) for cell in cells])
        if row is not None:
            self._blocks.append(row)

    def _note(self, element: etree._Element) -> None:
        if self._in_paragraph:
            self._notes.append(element)
        else:
            self._within(ParagraphKind.NOTE, lambda: self._labelled(element))

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
                self._within(ParagraphKind.NOTE, partial(self._paragraph, paragraph))

    def _inner_section(self, element: etree._Element, name: str) -> None:
        self._flush()
        inner = BlockWriter(self._section_kind, self._reading, kind_in(name, self._kind))
        section = inner.section(element, SECTIONS.get(name, ""))
        if not section.title:
            self._blocks.extend(section.blocks)
        elif section.blocks or name == "sec":
            self._blocks.append(section)

    def _within(self, kind: ParagraphKind, write: _BLOCK) -> None:
        if not self._led:  # a label that waits for its text belongs to the next paragraph
            self._flush()
        outer, self._kind = self._kind, kind
        write()
        self._flush()
        self._kind = outer

    def _flush(self) -> None:
        paragraph = self.run.paragraph(self._kind)
        if paragraph is not None:
            self._blocks.append(paragraph)
        self.run = TextBuilder()
        self._led = False
