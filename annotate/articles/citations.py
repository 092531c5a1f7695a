"""Which sentences of an article cite which entries of its reference list."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from annotate.articles.document import Article, Cite, Paragraph, Reference, Section

IDENTIFIERS = ("pmid", "pmcid", "doi")
# A dash between two numbers far apart is more likely a slip than a list.
MOST_IN_A_RANGE = 50
# Of one article, stored in one transaction, in which saves wait. The longest reference lists of reviews have some
# thousand entries, each cited a few times.
MOST_REFERENCES = 10_000
MOST_CITATIONS = 20_000


def identifiers(work: object) -> list[str]:
    """The identifiers of a work, parsed or stored, such as pmid:123; empty for one of which only the title is known."""
    return [f"{name}:{value}" for name in IDENTIFIERS if (value := getattr(work, name))]


def address_of(identifier: str) -> str:
    """The page of PubMed or PubMed Central of an identifier such as pmid:123; "" for one of another kind."""
    kind, _, value = identifier.partition(":")
    pages = {"pmid": "https://pubmed.ncbi.nlm.nih.gov", "pmcid": "https://pmc.ncbi.nlm.nih.gov/articles"}
    return f"{pages[kind]}/{value}/" if kind in pages and value.isalnum() else ""


class ReferenceList:
    """Finds the entries of a reference list by the names that the text uses for them.

    `stored`: the list that is stored already, of another source; entries are the same that share an identifier.
    """

    def __init__(self, references: Sequence[Reference], stored: Sequence[object] | None = None) -> None:
        self._order: dict[str, int] = {}
        for number, reference in enumerate(references):
            for anchor in reference.anchors:
                self._order.setdefault(anchor, number)
        self._positions = list(range(len(references))) if stored is None else list(_matched(references, stored))

    def positions(self, cite: Cite) -> Iterator[int]:
        """The positions, from 0, of the references named at a place; none for an anchor that the list lacks."""
        first = self._order.get(cite.anchor)
        if first is None:
            return
        last = self._order.get(cite.last, first)
        span = range(first, last + 1) if first < last <= first + MOST_IN_A_RANGE else (first,)
        yield from (self._positions[number] for number in span if self._positions[number] >= 0)


def _matched(references: Sequence[Reference], stored: Sequence[object]) -> Iterator[int]:
    known: dict[str, int] = {}
    for position, work in enumerate(stored):
        for name in identifiers(work):
            known.setdefault(name, position)
    for reference in references:
        yield next((known[name] for name in identifiers(reference) if name in known), -1)


def citing_sentences(
    paragraph: Paragraph, spans: Sequence[tuple[int, int]], references: ReferenceList
) -> list[tuple[int, int]]:
    """(number of the sentence among these half-open spans, position of the reference), each once, in text order.

    A place behind the last letter of a sentence, such as a raised number, belongs to that sentence.
    """
    found: dict[tuple[int, int], None] = {}
    starts = [start for start, _ in spans]
    for cite in paragraph.cites:
        number = bisect_right(starts, cite.at) - 1
        for position in references.positions(cite) if number >= 0 else ():
            found[number, position] = None
    return list(found)


def within_limits(article: Article) -> tuple[Article, int]:
    """The article with at most MOST_REFERENCES references and MOST_CITATIONS places that cite, and how many such places
    it keeps. A range counts as all references that it names. A warning names the omissions."""
    references = article.references[:MOST_REFERENCES]
    known = ReferenceList(references)
    cites = [cite for _, _, paragraph in article.paragraphs() for cite in paragraph.cites]
    total = sum(1 for _ in islice((place for cite in cites for place in known.positions(cite)), MOST_CITATIONS + 1))
    if total <= MOST_CITATIONS and len(article.references) <= MOST_REFERENCES:  # as nearly always
        return article, total
    left = _Left(known, MOST_CITATIONS)
    sections = tuple(left.section(each) for each in article.sections) if cites else article.sections
    reasons = []
    if len(article.references) > MOST_REFERENCES:
        reasons.append(f"has {len(article.references):,} references: the first {MOST_REFERENCES:,} are kept")
    if left.cut:
        reasons.append(f"cites at more than {MOST_CITATIONS:,} places: later ones are left out of its links")
    warnings = (*article.warnings, *reasons)
    return replace(article, references=references, sections=sections, warnings=warnings), MOST_CITATIONS - left.budget


@dataclass(slots=True)
class _Left:
    """How many more places may be kept."""

    references: ReferenceList
    budget: int
    cut: bool = False

    def section(self, section: Section) -> Section:
        """The section with what may be kept."""
        blocks = (self.section(each) if isinstance(each, Section) else self._paragraph(each) for each in section.blocks)
        return replace(section, blocks=tuple(blocks))

    def _paragraph(self, paragraph: Paragraph) -> Paragraph:
        for number, cite in enumerate(paragraph.cites):
            wanted = sum(1 for _ in self.references.positions(cite))
            if wanted > self.budget:
                self.cut = True
                return replace(paragraph, cites=paragraph.cites[:number])
            self.budget -= wanted
        return paragraph
