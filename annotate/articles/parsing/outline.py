"""Building nested sections from headings met one after the other (web pages, Markdown)."""

from annotate.articles.document import Paragraph, Section, SectionKind

BACK_TITLES = frozenset(
    """abbreviations acknowledgement acknowledgements acknowledgment acknowledgments appendix bibliography
    footnotes funding glossary references""".split()
) | {"author contributions", "competing interests", "conflict of interest", "data availability"}


class Outline:
    """Collects headings and paragraphs in reading order; `sections()` nests them by level."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = [(0, "")]
        self._contents: list[list[Paragraph]] = [[]]

    def heading(self, level: int, title: str) -> None:
        """Opens a section at a level (1 is the outermost)."""
        self._headings.append((level, title))
        self._contents.append([])

    def add(self, paragraph: Paragraph | None) -> None:
        """Adds a paragraph to the open section; None is passed over."""
        if paragraph is not None:
            self._contents[-1].append(paragraph)

    def take_title(self, longest: int) -> str:
        """Takes out and returns the first paragraph if it opens the text, is short, and is not all there is."""
        first = self._contents[0][:1]
        others = sum(map(len, self._contents)) - 1
        if not first or others < 1 or len(first[0].text) > longest:
            return ""
        del self._contents[0][0]
        return first[0].text

    def sections(self) -> tuple[Section, ...]:
        """Returns the sections. Their kind follows the heading of the outermost one."""
        found: list[Section] = []
        if self._contents[0]:
            found.append(Section("", SectionKind.BODY, tuple(self._contents[0])))
        at = 1
        while at < len(self._headings):
            section, at = self._nested(at, kind_of(self._headings[at][1]))
            found.append(section)
        return tuple(found)

    def _nested(self, at: int, kind: SectionKind) -> tuple[Section, int]:
        level, title = self._headings[at]
        blocks: list[Paragraph | Section] = list(self._contents[at])
        at += 1
        while at < len(self._headings) and self._headings[at][0] > level:
            inner, at = self._nested(at, kind if kind is not SectionKind.BODY else kind_of(self._headings[at][1]))
            blocks.append(inner)
        return Section(title, kind, tuple(blocks)), at


def kind_of(title: str) -> SectionKind:
    """Returns the kind that a section title announces; a number before it and a sign after it do not matter."""
    name = title.strip(" .:0123456789").casefold()
    if name in ("abstract", "structured abstract", "graphical abstract"):
        return SectionKind.ABSTRACT
    return SectionKind.BACK if name in BACK_TITLES else SectionKind.BODY
