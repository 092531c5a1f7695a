"""Inline XML markup to text with marks, shared by JATS and MEDLINE; MathML as readable text."""

import re

from lxml import etree

from annotate.articles.parsing.latex import latex_to_text
from annotate.articles.parsing.text_builder import TextBuilder

_SCRIPTS = {"msub": ("", "sub"), "msup": ("", "sup"), "msubsup": ("", "sub", "sup")}
_DROPPED = frozenset({"annotation", "annotation-xml", "maligngroup", "malignmark"})
_LEAVES = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_WIDTH = re.compile(r"(\d*\.?\d+)\.?(em|pt)")
_PARTS_WORDS = {"em": 0.25, "pt": 3}  # a space from this width on; a thinner one stands within numbers and names


def write_math(element: etree._Element, run: TextBuilder) -> None:
    """Appends a formula to the run. Every token (mi, mn, mo, mtext) appears once and in order."""
    name = etree.QName(element).localname
    children = [child for child in element if isinstance(child.tag, str)]
    if name in _LEAVES:
        text = "".join(element.itertext())
        if text.startswith("\\"):  # a converter of LaTeX left a command that it did not know
            text = latex_to_text(text)
        run.add(text if name == "mtext" else text.strip(" \t\r\n"))
    elif name in _SCRIPTS:
        for child, style in zip(children, (*_SCRIPTS[name], *[""] * len(children)), strict=False):
            with run.styled(style):
                write_math(child, run)
    elif name == "mfrac":
        for position, child in enumerate(children):
            run.add("/" if position else None)
            _write_grouped([child], run)
    elif name in ("msqrt", "mroot"):
        run.add("√")
        _write_grouped(children, run)
    elif name == "mfenced":
        separator = element.get("separators", ",").strip()[:1]
        run.add(element.get("open", "("))
        for position, child in enumerate(children):
            run.add(separator if position else None)
            write_math(child, run)
        run.add(element.get("close", ")"))
    elif name == "mspace":
        width = _WIDTH.fullmatch(element.get("width", ""))
        run.add(" " if width and float(width[1]) >= _PARTS_WORDS[width[2]] else None)
    elif name in ("mtd", "mtr", "mlabeledtr"):
        _write_all(children, run)
        run.add(" ")
    elif name not in _DROPPED:
        _write_all(children, run)


def _write_all(children: list[etree._Element], run: TextBuilder) -> None:
    for child in children:
        write_math(child, run)


def _write_grouped(children: list[etree._Element], run: TextBuilder) -> None:
    tokens = sum(1 for child in children for _ in child.iter(*(f"{{*}}{leaf}" for leaf in _LEAVES)))
    run.add("(" if tokens > 1 else "")
    _write_all(children, run)
    run.add(")" if tokens > 1 else "")


STYLES = {"italic": "italic", "i": "italic", "sub": "sub", "sup": "sup"}
_DASHES = ("-", "–", "—", "‐", "‑", "−")
_NAMED_BY_NUMBER = frozenset({"bibr", "fn", "table-fn"})  # references and notes, by a number or a letter
BREAKS = frozenset({"break", "hr"})
NOT_TEXT = frozenset(
    {"alt-text", "graphic", "index-term", "inline-graphic", "inline-media", "long-desc", "object-id", "sec-meta"}
)
# Elements that stand apart from the sentence around them
BLOCKS = frozenset(
    """address aff array attrib boxed-text caption chem-struct-wrap code corresp def def-item def-list
    disp-formula disp-formula-group disp-quote fig fig-group fn-group list list-item media p preformat
    question question-wrap speech statement supplementary-material table table-wrap table-wrap-foot
    table-wrap-group td th title tr verse-group verse-line""".split()
)


def local_name(element: etree._Element) -> str:
    """Returns the element's name without its namespace; an empty string for comments and the like."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    return tag.rpartition("}")[2] if tag.startswith("{") else tag


def child(element: etree._Element, *names: str) -> etree._Element | None:
    """Returns the first child with one of the names, in any namespace, or None."""
    for found in element:
        if local_name(found) in names:
            return found
    return None


class InlineWriter:
    """Writes an element's text into one run; what stands apart from a sentence is set off by spaces.

    `unread` holds the `<p>` elements that were not read yet; each one read is taken out.
    """

    def __init__(self, unread: dict[etree._Element, None] | None = None) -> None:
        self.unread = {} if unread is None else unread
        self.run = TextBuilder()
        self._tex_parent: etree._Element | None = None
        self._has_math = False

    def walk(self, element: etree._Element) -> None:
        """Writes the element's text, its children and what follows each of them."""
        if text := element.text:
            self.run.add(text)
        for inner in element:
            self.visit(inner)
            if tail := inner.tail:
                self.run.add(tail)

    def visit(self, element: etree._Element) -> None:
        """Writes one child element, by its name."""
        name = local_name(element)
        if name == "p":
            self.unread.pop(element, None)
        if not name or name in NOT_TEXT:
            return
        if name in BREAKS:
            self.run.add(" ")
        elif name == "math":
            write_math(element, self.run)
        elif name == "tex-math":
            self._tex(element)
        elif name == "xref":
            self._refer(element)
        elif name in STYLES:
            with self.run.styled(STYLES[name]):  # of no effect where a block inside ends the run
                self.walk(element)
        elif name in BLOCKS:
            self.block(element, name)
        else:
            self.walk(element)

    def block(self, element: etree._Element, name: str) -> None:
        """Writes a block in the midst of a run, set off by spaces."""
        self.run.add(" ")
        self.walk(element)
        self.run.add(" ")

    def _refer(self, element: etree._Element) -> None:
        """Writes what names a reference or a note, apart from the word before it: IL-2 with a raised 1 is not IL-21."""
        kind = element.get("ref-type")
        if kind in _NAMED_BY_NUMBER:
            self.run.set_apart(next(element.itertext("*"), ""))
        if kind == "bibr":
            self._cite(element)
        self.walk(element)

    def _cite(self, element: etree._Element) -> None:
        """Notes which references are named: with a dash and another one behind it, also all in between."""
        *others, anchor = (element.get("rid") or "").split() or [""]
        behind = element.getnext()
        through = behind is not None and local_name(behind) == "xref" and (element.tail or "").strip() in _DASHES
        for other in others:
            self.run.cite(other)
        if anchor:
            self.run.cite(anchor, (behind.get("rid") or "").partition(" ")[0] if through else "")

    def _tex(self, element: etree._Element) -> None:
        parent = element.getparent()
        if parent is not self._tex_parent:  # each parent is looked through once only, however many formulas it holds
            self._tex_parent, self._has_math = parent, child(parent, "math") is not None
        if not self._has_math:
            self.run.add(latex_to_text("".join(element.itertext())))


def flat_run(element: etree._Element | None, unread: dict[etree._Element, None] | None = None) -> TextBuilder:
    """Returns all text of an element as one run: for titles, labels and table cells."""
    writer = InlineWriter(unread)
    if element is not None:
        writer.walk(element)
    return writer.run


def flat_text(element: etree._Element | None) -> str:
    """Returns all text of an element as one cleaned line; empty for None."""
    return flat_run(element).text
