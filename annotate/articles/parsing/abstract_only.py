"""Whether a text is an abstract alone, where its format does not say: told by its sections and its length."""

from collections.abc import Iterator
from dataclasses import replace

from annotate.articles.document import Article, Paragraph, Section, SectionKind
from annotate.articles.parsing.section_names import LONGEST, bare, is_main

# Of the 18,453 abstracts of the sample one in a thousand has more than 4,709 characters; the shortest body has 14,966.
LONGEST_ABSTRACT = 6_000
# Main sections of an article that abstracts have, too, or that stand next to them.
_OF_ABSTRACTS = frozenset(
    name.strip()
    for name in """
    abstract; structured abstract; summary; author summary; significance; significance statement; highlights
    background; introduction; aims; objectives; objective; aim; purpose; methods; method; materials and methods; design
    study design; patients and methods; results; findings; conclusion; conclusions; discussion; limitations
    funding""".replace("\n", ";").split(";")
)
_NEXT_TO_ABSTRACTS = frozenset(
    ("summary", "author summary", "significance", "significance statement", "highlights", "funding")
)


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
