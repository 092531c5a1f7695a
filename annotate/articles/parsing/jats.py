"""JATS (PubMed Central, eLife, PLOS ...): one article, or a set of them, from parsed XML.

Every `<p>` is returned exactly once: those that no rule places come in a last section, so that no text is lost.
Tag set: https://jats.nlm.nih.gov/archiving/tag-library/1.3/
"""

from collections.abc import Iterator
from itertools import groupby

from lxml import etree

from annotate.articles.document import Article, Paragraph, ParagraphKind, Section, SectionKind, UnreadableArticle
from annotate.articles.parsing import jats_front
from annotate.articles.parsing.entry import SEPARATOR, ParsedEntry, Wanted
from annotate.articles.parsing.inline import child, local_name
from annotate.articles.parsing.jats_blocks import BlockWriter, Reading
from annotate.articles.parsing.limits import ARTICLE_BYTES
from annotate.articles.parsing.safe_xml import parse_xml
from annotate.articles.parsing.streams import Source

_ABSTRACT_TITLES = {
    "graphical": "Graphical abstract",
    "author-summary": "Author summary",
    "summary": "Summary",
    "executive-summary": "Executive summary",
    "key-points": "Key points",
    "author-highlights": "Highlights",
    "teaser": "Teaser",
    "toc": "Table of contents summary",
}


def read(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    """Yields the wanted articles of a file, and an entry with `error` for each that cannot be read.

    UnreadableArticle if the file is no safe XML or holds no article.
    """
    root = parse_xml(source.read(ARTICLE_BYTES))
    elements = [root] if local_name(root) == "article" else list(root.iter("{*}article"))  # of a PMC or OAI set
    if not elements:
        raise UnreadableArticle("holds no article")
    for number, element in enumerate(elements, start=1):
        name = source.name if len(elements) == 1 else f"{source.name}{SEPARATOR}article {number}"
        try:
            article = _article(element)
        except UnreadableArticle as error:
            yield ParsedEntry(name, error=str(error))
            continue
        if wanted.takes(article):
            yield ParsedEntry(name, article)


def _article(article: etree._Element) -> Article:
    """Returns one JATS article. UnreadableArticle if it has neither a title nor any text."""
    reading = Reading(dict.fromkeys(article.iter("{*}p")))
    front = child(article, "front")
    meta = jats_front.article_meta(front)
    licence = jats_front.licence(meta, reading)
    sections = tuple(_sections(article, front, meta, reading))
    title = jats_front.title(meta)
    if not title and not sections:
        raise UnreadableArticle("holds an article without a title and without text")
    return Article(
        title=title,
        **jats_front.identifiers(meta),
        journal=jats_front.journal(front),
        year=jats_front.year(meta),
        licence=licence,
        sections=sections,
        references=tuple(jats_front.references(article)),
        warnings=tuple(_warnings(article, title, sections, reading)),
    )


def _sections(
    article: etree._Element, front: etree._Element | None, meta: etree._Element | None, reading: Reading
) -> Iterator[Section]:
    yield from _abstracts(meta, SectionKind.ABSTRACT, reading)
    yield from sections_of(child(article, "body"), "", SectionKind.BODY, reading)
    yield from sections_of(child(article, "floats-group"), "Figures and tables", SectionKind.BODY, reading)
    yield from sections_of(child(article, "back"), "", SectionKind.BACK, reading)
    yield from _front_notes(front, meta, reading)
    for inner in article:
        if local_name(inner) in ("sub-article", "response"):
            yield _sub_article(inner, reading)
    if leftover := _leftover(reading):
        yield Section("Other text", SectionKind.BACK, leftover)


def _abstracts(meta: etree._Element | None, kind: SectionKind, reading: Reading) -> Iterator[Section]:
    for element in () if meta is None else meta:
        name = local_name(element)
        if name not in ("abstract", "trans-abstract"):
            continue
        default = _ABSTRACT_TITLES.get(element.get("abstract-type", ""), "Abstract")
        language = element.get("{http://www.w3.org/XML/1998/namespace}lang", "")
        if name == "trans-abstract" and language:
            default += f" ({language})"
        section = BlockWriter(kind, reading).section(element, default)
        if section.blocks:
            yield section


def sections_of(part: etree._Element | None, title: str, kind: SectionKind, reading: Reading) -> Iterator[Section]:
    """Yields the sections of a body or back; paragraphs outside any section share one of the given title."""
    if part is None:
        return
    blocks = BlockWriter(kind, reading).blocks_of(part)
    for is_section, run in groupby(blocks, lambda block: isinstance(block, Section)):
        if is_section:
            yield from (block for block in run if isinstance(block, Section))
        else:
            yield Section(title, kind, tuple(run))


def _front_notes(front: etree._Element | None, meta: etree._Element | None, reading: Reading) -> Iterator[Section]:
    places = [element for parent in (front, meta) if parent is not None for element in parent]
    for element in places:
        if local_name(element) in ("notes", "author-notes"):
            writer = BlockWriter(SectionKind.BACK, reading, ParagraphKind.NOTE)
            section = writer.section(element, "Author notes" if local_name(element) == "author-notes" else "Notes")
            if section.blocks:
                yield section


def _sub_article(element: etree._Element, reading: Reading) -> Section:
    front = child(element, "front-stub", "front")
    meta = jats_front.article_meta(front)
    blocks: list[Paragraph | Section] = list(_abstracts(meta, SectionKind.SUB_ARTICLE, reading))
    for inner in element:
        name = local_name(inner)
        if name in ("body", "back", "floats-group"):
            blocks += BlockWriter(SectionKind.SUB_ARTICLE, reading).blocks_of(inner)
        elif name in ("sub-article", "response"):
            blocks.append(_sub_article(inner, reading))
    title = jats_front.title(meta) or element.get("article-type", "Sub-article").replace("-", " ").capitalize()
    return Section(title, SectionKind.SUB_ARTICLE, tuple(blocks))


def _leftover(reading: Reading) -> tuple[Paragraph | Section, ...]:
    blocks: list[Paragraph | Section] = []
    for element in list(reading.unread):
        if element not in reading.unread:  # it stood inside one before it
            continue
        blocks += BlockWriter(SectionKind.BACK, reading, ParagraphKind.NOTE).blocks_of(element)
        reading.unread.pop(element, None)
    return tuple(blocks)


def _warnings(article: etree._Element, title: str, sections: tuple[Section, ...], reading: Reading) -> Iterator[str]:
    kinds = {section.kind for section in sections}
    if not title:
        yield "the article has no title"
    if SectionKind.BODY not in kinds:
        yield "abstract only: no body text" if SectionKind.ABSTRACT in kinds else "no abstract and no body text"
    if reading.image_formulas:
        yield f"{reading.image_formulas} formulas are images only and have no text"
    if article.get("article-type") == "retraction":
        yield "this is a retraction notice"
