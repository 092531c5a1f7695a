"""Articles of BioC (XML and JSON, as PubMed Central and PubTator give them) and of PubTator's own text format.

Their annotations are not read: `entities evaluate` and `entities train` read those. https://bioc.sourceforge.net,
https://www.ncbi.nlm.nih.gov/research/pubtator3/tutorial. If any document is wrong, no article of the file is taken;
one of a title alone is an article without an abstract, as PubMed has many.
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from annotate.articles.document import Article, Paragraph, ParagraphKind, Section, SectionKind, UnreadableArticle
from annotate.articles.parsing.bioc_documents import (
    BiocDocument,
    Passage,
    json_documents,
    pubtator_documents,
    xml_document,
)
from annotate.articles.parsing.encoding import decode_text
from annotate.articles.parsing.entry import SEPARATOR, ParsedEntry, Wanted, show_name
from annotate.articles.parsing.identifiers import as_doi, as_pmcid, as_pmid, as_year
from annotate.articles.parsing.limits import ARTICLE_BYTES, JSON_PARTS, TEXT_BYTES, TEXT_LINES
from annotate.articles.parsing.plaintext import clean_line
from annotate.articles.parsing.safe_xml import parse_xml
from annotate.articles.parsing.sniff import Beginning
from annotate.articles.parsing.streams import Source
from annotate.articles.parsing.text_builder import text_paragraph

_HEADING = re.compile(r"(?:abstract_)?title(?:_\d+)?|title_caption")
_LEFT_OUT = frozenset({"REF", "COMP_INT", "AUTH_CONT", "ACK_FUND", "ABBR"})
_KINDS = {"list": ParagraphKind.LIST_ITEM, "caption": ParagraphKind.CAPTION, "table": ParagraphKind.TABLE,
          "footnote": ParagraphKind.NOTE, "formula": ParagraphKind.FORMULA}  # fmt: skip


def is_bioc_xml(beginning: Beginning) -> bool:
    """Whether the root is a BioC collection."""
    return beginning.root == "collection"


def is_bioc_json(beginning: Beginning) -> bool:
    """Whether the file is JSON whose beginning names passages or documents."""
    return beginning.text[:1] in ("{", "[") and re.search(r'"(?:passages|documents)"\s*:', beginning.text) is not None


def is_pubtator(beginning: Beginning) -> bool:
    """Whether the first line is a title as PubTator writes it: PMID|t|Title."""
    return re.match(r"\d+\|t\|", beginning.text) is not None


def read_xml(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    """Yields the wanted articles of a BioC XML file. UnreadableArticle, before any article, if it is refused."""
    root = parse_xml(source.read(ARTICLE_BYTES))
    return _entries(source, wanted, [xml_document(node) for node in root.iter("document")])


def read_json(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    """Yields the articles of BioC JSON: a collection, a list of collections, or a list of documents."""
    text, _ = decode_text(source.read(TEXT_BYTES))
    if text.count("{") + text.count("[") > JSON_PARTS:
        raise UnreadableArticle(f"holds more than {JSON_PARTS:,} objects and lists")
    try:
        documents = list(json_documents(json.loads(text)))
    except UnreadableArticle:
        raise
    except (ValueError, RecursionError) as error:
        raise UnreadableArticle(f"is not valid JSON: {error}") from None
    except (KeyError, TypeError, AttributeError):
        raise UnreadableArticle("is JSON, but its documents are not as BioC writes them") from None
    return _entries(source, wanted, documents)


def read_pubtator(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    """Yields the articles of PubTator's text format: a line of the title, one of the abstract, then annotations."""
    text, _ = decode_text(source.read(TEXT_BYTES))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")  # rarer line ends may stand in an abstract
    if len(lines) > TEXT_LINES:
        raise UnreadableArticle(f"holds more than {TEXT_LINES:,} lines")
    return _entries(source, wanted, pubtator_documents(lines))


def _entries(source: Source, wanted: Wanted, documents: list[BiocDocument]) -> Iterator[ParsedEntry]:
    articles = [_article(document) for document in documents]
    if not articles:
        raise UnreadableArticle("holds no document")
    for number, (document, article) in enumerate(zip(documents, articles, strict=True), 1):
        if wanted.takes(article):
            yield ParsedEntry(f"{source.name}{SEPARATOR}document {show_name(document.id) or number}", article)


def _article(document: BiocDocument) -> Article:
    front = next((passage for passage in document.passages if passage.is_title), None)
    told = {**(front.infons if front else {}), **document.infons}
    sections = tuple(_sections(passage for passage in document.passages if passage is not front))
    title = clean_line(front.text) if front else ""
    if not sections and not title:
        raise UnreadableArticle(f"holds a document without text: {document.id[:40] or 'without an id'}")
    numbered = "article-id_pmid" in told or "article-id_pmc" in told or "pmid" in told or "pmcid" in told
    return Article(
        title=title or f"Document {show_name(document.id)}",
        pmid=as_pmid(told.get("article-id_pmid") or told.get("pmid") or (None if numbered else document.id)),
        pmcid=as_pmcid(_with_letters(told.get("article-id_pmc")) or told.get("pmcid") or _lettered(document.id)),
        doi=as_doi(told.get("article-id_doi") or told.get("doi")),
        journal=clean_line(told.get("journal") or told.get("journal-title") or "") or None,
        year=as_year(told.get("year")),
        licence=clean_line(told.get("license") or "")[:500] or None,
        sections=sections,
        warnings=() if sections else ("the document has no abstract",),
    )


def _lettered(identifier: str) -> str | None:
    """An id that is a PMCID: one of digits alone is a PMID."""
    return identifier if identifier.strip().upper().startswith("PMC") else None


def _with_letters(pmcid: str | None) -> str | None:
    return pmcid and f"PMC{pmcid.upper().removeprefix('PMC')}"


def _sections(passages: Iterable[Passage]) -> Iterator[Section]:
    """Runs of paragraphs under one heading. A heading is a passage of its own, or a name that the passage carries."""
    placed: list[tuple[SectionKind, str, Paragraph]] = []
    headings: dict[SectionKind, str] = {}  # the last heading of an abstract is no heading of the body
    for passage in passages:
        if passage.section_type in _LEFT_OUT or passage.type == "ref":
            continue
        kind = SectionKind.ABSTRACT if passage.is_abstract else SectionKind.BODY
        if _HEADING.fullmatch(passage.type):
            headings[kind] = clean_line(passage.text)
            continue
        inner = next((kind for word, kind in _KINDS.items() if word in passage.type), ParagraphKind.PARAGRAPH)
        if paragraph := text_paragraph(passage.text, inner):
            own = "" if "section_type" in passage.infons else passage.infons.get("section", "")
            named = own or headings.get(kind) or ("Abstract" if passage.is_abstract else "")
            placed.append((kind, named, paragraph))
    for (kind, title), run in groupby(placed, key=lambda one: one[:2]):
        yield Section(title, kind, tuple(paragraph for *_, paragraph in run))
