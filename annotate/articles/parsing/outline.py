"""What sections of research articles are called, and nested sections from headings met one after the other."""

import re
from collections.abc import Iterator
from dataclasses import replace

from annotate.articles.document import Article, Paragraph, Section, SectionKind


def _titles(text: str) -> frozenset[str]:
    """The titles that a text lists, separated by semicolons and line ends."""
    return frozenset(title.strip() for title in text.replace("\n", ";").split(";") if title.strip())


BACK_TITLES = _titles("""
    abbreviations; acknowledgement; acknowledgements; acknowledgment; acknowledgments; appendix; author contributions
    bibliography; competing interests; conflict of interest; data availability; footnotes; funding; glossary; references
""")


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


_MAIN = BACK_TITLES | _titles("""
    abstract; structured abstract; summary; author summary; significance; significance statement; highlights
    introduction; background; literature review; related work; aims; objectives; objective; aim; purpose
    methods; method; materials; methodology; materials and methods; methods and materials; material and methods
    patients and methods; subjects and methods; participants and methods; experimental procedures
    experimental section; experimental; experimental methods; star methods; online methods; study design; design
    statistical analysis; results; findings; results and discussion; discussion; discussion and conclusions
    discussion and conclusion; general discussion; conclusion; conclusions; concluding remarks; limitations; outlook
    summary and conclusions; conclusions and perspectives; perspectives; case report; case presentation
    case description
    literature cited; references and notes; works cited; reference; notes and references; cited literature
    supporting information; supplementary material; supplementary materials; supplementary information
    supplementary data; additional files; additional file; supplemental material; data access; accession numbers
    authors' contributions; author's contributions; authors contributions; author contribution; conflicts of interest
    conflict of interest statement; declaration of competing interest; competing interest; declarations; disclosures
    ethics statement; ethics approval; data availability statement; availability of data and materials
    consent for publication; list of abbreviations; abbreviations used; figure legends; tables; financial disclosure
    pre-publication history; authors' information; financial support; funding statement; disclosure; grant support
""")
_REFERENCES = _titles("""
    references; reference; bibliography; literature cited; references and notes; works cited; notes and references
    cited literature
""")
_NUMBER = re.compile(r"^(?:(\d{1,2}(?:\.\d{1,2}){0,3})[.)]?|[IVX]{1,4}\.|[A-H]\.)\s+(?=\S)")
LONGEST = 150


def bare(heading: str) -> str:
    """A heading in small letters, without its number and the signs behind it."""
    return " ".join(_NUMBER.sub("", heading.strip()).casefold().replace("’", "'").split()).strip(" .:;—–-|*■")


def is_main(text: str) -> bool:
    """Whether a line is the name of a section and nothing else: Results, 2. MATERIALS AND METHODS."""
    return len(text) <= LONGEST and (bare(text) in _MAIN or bare(text.replace("&", "and")) in _MAIN)


def is_references(heading: str) -> bool:
    """Whether the reference list stands below this heading."""
    return bare(heading) in _REFERENCES


def level_of(heading: str) -> int | None:
    """The level that a heading's number tells: 2 for 3.1; None without a number."""
    found = _NUMBER.match(heading.strip())
    return None if found is None or not found[1] else found[1].count(".") + 1


def without_number(heading: str) -> str:
    """A heading without its number."""
    return _NUMBER.sub("", heading.strip())


# Of the 18,453 abstracts of the sample one in a thousand has more than 4,709 characters; the shortest body has 14,966.
LONGEST_ABSTRACT = 6_000
# Main sections of an article that abstracts have, too, or that stand next to them.
_OF_ABSTRACTS = _titles("""
    abstract; structured abstract; summary; author summary; significance; significance statement; highlights
    background; introduction; aims; objectives; objective; aim; purpose; methods; method; materials and methods; design
    study design; patients and methods; results; findings; conclusion; conclusions; discussion; limitations
    funding
""")
_NEXT_TO_ABSTRACTS = _titles("summary; author summary; significance; significance statement; highlights; funding")


def with_its_abstract(article: Article) -> Article:
    """The article, its body told as an abstract where it is no more than that: short, and without sections that only
    articles have. An abstract that stands apart makes any main section one of these."""
    found = list(article.paragraphs())
    apart = any(section.kind is SectionKind.ABSTRACT for section, _, _ in found)
    usual = _NEXT_TO_ABSTRACTS if apart else _OF_ABSTRACTS
    body = [paragraph for section, _, paragraph in found if section.kind is SectionKind.BODY]
    beyond = any(is_main(name) and bare(name) not in usual for name in _names(article.sections))
    if beyond or sum(len(paragraph.text) for paragraph in body) > LONGEST_ABSTRACT:
        return article
    return replace(article, sections=tuple(map(_as_abstract, article.sections)))


def _names(blocks: tuple[Paragraph | Section, ...]) -> Iterator[str]:
    """The titles of all sections of the body, and short paragraphs, which in plain text are titles."""
    for block in blocks:
        if isinstance(block, Section) and block.kind is SectionKind.BODY:
            yield block.title
            yield from _names(block.blocks)
        elif isinstance(block, Paragraph) and len(block.text) <= LONGEST:
            yield block.text


def _as_abstract(section: Section) -> Section:
    if section.kind is not SectionKind.BODY:
        return section
    blocks = tuple(_as_abstract(block) if isinstance(block, Section) else block for block in section.blocks)
    return replace(section, kind=SectionKind.ABSTRACT, blocks=blocks)
