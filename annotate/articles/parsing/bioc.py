"""Articles of BioC (XML and JSON, as PubMed Central and PubTator give them) and of PubTator's own text format.

Their annotations are not read: `entities evaluate` and `entities train` read those. https://bioc.sourceforge.net,
https://www.ncbi.nlm.nih.gov/research/pubtator3/tutorial. If any document is wrong, no article of the file is taken;
one with only a title is an article without an abstract, as PubMed has many.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from lxml import etree

from annotate.articles.document import Article, Paragraph, ParagraphKind, Section, SectionKind, UnreadableArticle
from annotate.articles.parsing.encoding import decode_text
from annotate.articles.parsing.entry import SEPARATOR, ParsedEntry, Wanted, show_name
from annotate.articles.parsing.identifiers import as_doi, as_pmcid, as_pmid, as_year
from annotate.articles.parsing.limits import ARTICLE_BYTES, JSON_PARTS, TEXT_BYTES, TEXT_LINES
from annotate.articles.parsing.plaintext import clean_line
from annotate.articles.parsing.safe_xml import parse_xml
from annotate.articles.parsing.sniff import Beginning
from annotate.articles.parsing.streams import Source
from annotate.articles.parsing.text_builder import text_paragraph
from annotate.project.files.characters import json_in

_PUBTATOR = re.compile(r"(\w+)\|([ta])\|(.*)")
Infons = dict[str, str]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage, with its offset in the document and its annotations (infons and locations) as the file has them."""

    infons: Infons
    text: str
    offset: Any = 0
    annotations: Iterable[Mapping[str, Any]] = ()

    @property
    def section_type(self) -> str:
        """In capitals, as PubMed Central names it; empty if the file names none."""
        return (self.infons.get("section_type") or self.infons.get("section", "")).upper()

    @property
    def type(self) -> str:
        """In small letters; empty if the file names none."""
        return self.infons.get("type", "").lower()

    @property
    def is_title(self) -> bool:
        """Whether it is the title of the article."""
        return self.type == "front" or (self.type == "title" and self.section_type in ("", "TITLE"))

    @property
    def is_abstract(self) -> bool:
        """Whether it belongs to the abstract."""
        return self.section_type == "ABSTRACT" or self.type.startswith("abstract")


@dataclass(frozen=True, slots=True)
class BiocDocument:
    """What a file holds of one text."""

    id: str
    infons: Infons
    passages: tuple[Passage, ...]


def json_documents(content: Any) -> Iterator[BiocDocument]:
    """The documents of a collection, or of all collections of a list; PubTator 3 has its own key for its list.

    Raises UnreadableArticle, and KeyError, TypeError or AttributeError for content that BioC does not allow.
    """
    if isinstance(content, list):
        for one in content:
            yield from json_documents(one)
    elif "passages" in content:
        passages = (
            Passage(_texts_of(one.get("infons")), _text_of(one), one.get("offset"), one.get("annotations", ()))
            for one in content["passages"]
        )
        yield BiocDocument(_value_of(content, "id", str | int), _texts_of(content.get("infons")), tuple(passages))
    else:
        yield from json_documents(content["documents"] if "documents" in content else content["PubTator3"])


def _text_of(passage: dict[str, Any]) -> str:
    """The text of a passage; of one that is divided into sentences, theirs."""
    sentences = passage.get("sentences") or ()
    return _value_of(passage, "text", str) or " ".join(_value_of(each, "text", str) for each in sentences)


def _value_of(part: dict[str, Any], name: str, kind: Any) -> str:
    value = part.get(name)
    if not isinstance(value, kind | None):
        raise UnreadableArticle(f"holds a document whose {name} is no text: {str(value)[:40]}")
    return "" if value is None else str(value)


def _texts_of(given: dict[str, Any] | None) -> Infons:
    """The entries that are texts or numbers; nothing reads the other ones."""
    return {name: str(value) for name, value in (given or {}).items() if isinstance(value, str | int | float)}


def xml_document(node: etree._Element) -> BiocDocument:
    """The document of an element `document`."""
    passages = (
        Passage(
            _infons(one),
            # Of one that is divided into sentences, the text is theirs.
            one.findtext("text") or " ".join(each.findtext("text") or "" for each in one.iterfind("sentence")),
            one.findtext("offset"),
            [
                {"infons": _infons(mark), "locations": [each.attrib for each in mark.iterfind("location")]}
                for mark in one.iter("annotation")
            ],
        )
        for one in node.iterfind("passage")
    )  # fmt: skip
    return BiocDocument(node.findtext("id") or "", _infons(node), tuple(passages))


def _infons(node: etree._Element) -> Infons:
    return {one.get("key", ""): one.text or "" for one in node.iterfind("infon")}


def pubtator_documents(lines: Iterable[str]) -> list[BiocDocument]:
    """Lines of a title, an abstract and annotations, by PMID. What stands twice in files put together is read once."""
    passages: dict[str, dict[tuple[str, str], Passage]] = {}
    marks: dict[str, dict[str, dict[str, Any]]] = {}
    for line in lines:
        if match := _PUBTATOR.fullmatch(line):
            pmid, kind, text = match[1], "title" if match[2] == "t" else "abstract", match[3]
            own, mine = passages.setdefault(pmid, {}), marks.setdefault(pmid, {}).values()
            last = next(reversed(own.values()), None)
            begins = last.offset + len(last.text) + 1 if last else 0
            own.setdefault((kind, text), Passage({"type": kind}, text, begins, () if last else mine))
        elif (columns := line.split("\t"))[0] in marks and (mark := _mark(columns)):
            marks[columns[0]][line] = mark
    return [BiocDocument(pmid, {}, tuple(own.values())) for pmid, own in passages.items()]


def _mark(columns: Sequence[str]) -> dict[str, Any] | None:
    """An annotation: PMID, start, end, text, type, perhaps identifiers. A relation has no number behind its PMID."""
    if len(columns) < 5 or not columns[1].isdecimal():
        return None
    place = {"offset": columns[1], "length": int(columns[2]) - int(columns[1]) if columns[2].isdecimal() else None}
    return {"infons": {"type": columns[4], "identifier": "".join(columns[5:6])}, "locations": [place]}


_HEADING = re.compile(r"(?:abstract_)?title(?:_\d+)?|title_caption")
_LEFT_OUT = frozenset({"REF", "COMP_INT", "AUTH_CONT", "ACK_FUND", "ABBR"})
_KINDS = {"list": ParagraphKind.LIST_ITEM, "caption": ParagraphKind.CAPTION, "table": ParagraphKind.TABLE,
          "footnote": ParagraphKind.NOTE, "formula": ParagraphKind.FORMULA}  # fmt: skip


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
        documents = list(json_documents(json_in(text)))
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
    infons = {**(front.infons if front else {}), **document.infons}
    sections = tuple(_sections(passage for passage in document.passages if passage is not front))
    title = clean_line(front.text) if front else ""
    if not sections and not title:
        raise UnreadableArticle(f"holds a document without text: {document.id[:40] or 'without an id'}")
    number = infons.get("article-id_pmc")
    lettered = document.id if document.id.strip().upper().startswith("PMC") else None  # digits are a PMID
    numbered = "article-id_pmid" in infons or "article-id_pmc" in infons or "pmid" in infons or "pmcid" in infons
    return Article(
        title=title or f"Document {show_name(document.id)}",
        pmid=as_pmid(infons.get("article-id_pmid") or infons.get("pmid") or (None if numbered else document.id)),
        pmcid=as_pmcid((number and f"PMC{number.upper().removeprefix('PMC')}") or infons.get("pmcid") or lettered),
        doi=as_doi(infons.get("article-id_doi") or infons.get("doi")),
        journal=clean_line(infons.get("journal") or infons.get("journal-title") or "") or None,
        year=as_year(infons.get("year")),
        licence=clean_line(infons.get("license") or "")[:500] or None,
        sections=sections,
        warnings=() if sections else ("the document has no abstract",),
    )


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
