"""Titles of the sections of a JATS article, and what the readers of its parts share."""

import re
from dataclasses import dataclass

from lxml import etree

from annotate.articles.document import ParagraphKind
from annotate.articles.parsing.inline import child, flat_text, local_name

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


def kind_in(name: str, outer: ParagraphKind) -> ParagraphKind:
    """Returns the kind of the paragraphs in a section: notes stay notes all the way down."""
    notes = name in ("fn-group", "notes") or outer is ParagraphKind.NOTE
    return ParagraphKind.NOTE if notes else ParagraphKind.PARAGRAPH
