"""An article as every parser returns it: plain, frozen data, before it is split and stored."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

# How the warning of an article begins that was told from print; Review shows it above its text.
FROM_PDF = "read from a PDF"


class UnreadableArticle(ValueError):
    """A file, or an entry of one, that holds no article that can be read; the message says why."""


class ParagraphKind(StrEnum):
    """What a paragraph is in the article; readers see captions, tables and notes marked as such."""

    PARAGRAPH = "paragraph"
    LIST_ITEM = "list item"
    CAPTION = "caption"
    TABLE = "table"  # one row of a table, cells joined by a tab
    FORMULA = "formula"
    NOTE = "note"


class SectionKind(StrEnum):
    """Which part of the article a section belongs to."""

    ABSTRACT = "abstract"
    BODY = "body"
    BACK = "back"
    SUB_ARTICLE = "sub-article"  # decision letters, author responses


class _Sent:
    """Goes to another process as what it was made of, which is half the work of what dataclass itself does there."""

    __slots__: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), tuple(getattr(self, name) for name in self.__slots__)


class Mark(NamedTuple):
    """Inline formatting kept apart from the text: a half-open span and one of sub, sup, italic."""

    start: int
    end: int
    style: str


class Cite(NamedTuple):
    """A place in a text that names an entry of the reference list by an anchor of it, or all from there to `last`."""

    at: int
    anchor: str
    last: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph(_Sent):
    """One run of text, cleaned of markup, LaTeX and control characters, otherwise exact."""

    text: str
    kind: ParagraphKind = ParagraphKind.PARAGRAPH
    marks: tuple[Mark, ...] = ()
    cites: tuple[Cite, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Section(_Sent):
    """A titled part of an article; blocks hold its paragraphs and sub-sections in reading order."""

    title: str
    kind: SectionKind
    blocks: "tuple[Paragraph | Section, ...]" = ()

    def paragraphs(self, depth: int = 0) -> "Iterator[tuple[Section, int, Paragraph]]":
        """Yields (innermost section, its depth, paragraph) in reading order; the section itself has this depth."""
        for block in self.blocks:
            if isinstance(block, Section):
                yield from block.paragraphs(depth + 1)
            else:
                yield self, depth, block


@dataclass(frozen=True, slots=True)
class Reference(_Sent):
    """One entry of the reference list; `anchors` are the names that the text uses for it."""

    title: str = ""
    pmid: str | None = None
    pmcid: str | None = None
    doi: str | None = None
    anchors: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Article(_Sent):
    """A parsed article. Identifiers are normalised: digits, PMC + digits, lower-case DOI without prefix. `mesh`: its
    MeSH terms, each as "D003550:Cystic Fibrosis", or only the name where the source gives no code."""

    title: str
    pmid: str | None = None
    pmcid: str | None = None
    doi: str | None = None
    journal: str | None = None
    year: int | None = None
    licence: str | None = None
    sections: tuple[Section, ...] = ()
    references: tuple[Reference, ...] = ()
    mesh: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def paragraphs(self) -> Iterator[tuple[Section, int, Paragraph]]:
        """Yields (innermost section, its depth from 0, paragraph) in reading order."""
        for section in self.sections:
            yield from section.paragraphs()

    @property
    def abstract(self) -> str:
        """The paragraphs of its abstracts, one a line."""
        abstracts = (each.text for section, _, each in self.paragraphs() if section.kind is SectionKind.ABSTRACT)
        return "\n".join(abstracts)


PARTS = ("abstract", "introduction", "methods", "results", "discussion", "other")
_TITLES = {
    "introduction": r"introduction|background",
    "methods": r"methods?\b|materials|procedures?\b|protocols?\b|experimental (?:section|design|model)|methodology",
    "results": r"results?\b|findings?\b",
    "discussion": r"discussion|conclusions?\b|concluding",
}
_TITLE = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _TITLES.items()), re.IGNORECASE)


def part_of(kind: str, titles: Sequence[str]) -> str:
    """Which of PARTS a section is, from its kind and the titles around it, outermost first.

    The first title that says counts: "Cell culture" within "Methods" is methods, "Results and Discussion" results.
    """
    if kind == SectionKind.ABSTRACT:
        return "abstract"
    if kind != SectionKind.BODY:
        return "other"
    for title in titles:
        if found := _TITLE.search(title):
            return str(found.lastgroup)
    return "other"
