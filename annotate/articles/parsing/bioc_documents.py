"""Documents of BioC (XML and JSON) and of PubTator's own text format: passages with their offsets and annotations.

https://bioc.sourceforge.net, https://www.ncbi.nlm.nih.gov/research/pubtator3/tutorial. Annotations
are handed on as the file has them: a wrong one does not keep an article from being read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from annotate.articles.document import UnreadableArticle

_PUBTATOR = re.compile(r"(\w+)\|([ta])\|(.*)")
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")  # JSON can write them; no database stores them
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
            Passage(_told(one.get("infons")), _said(one, "text", str), one.get("offset"), one.get("annotations", ()))
            for one in content["passages"]
        )
        yield BiocDocument(_said(content, "id", str | int), _told(content.get("infons")), tuple(passages))
    else:
        yield from json_documents(content["documents"] if "documents" in content else content["PubTator3"])


def _said(part: dict[str, Any], name: str, kind: Any) -> str:
    value = part.get(name)
    if not isinstance(value, kind | None):
        raise UnreadableArticle(f"holds a document whose {name} is no text: {str(value)[:40]}")
    return _storable("" if value is None else str(value))


def _told(infons: dict[str, Any] | None) -> Infons:
    """The entries that are texts or numbers; nothing reads the other ones."""
    told = ((name, value) for name, value in (infons or {}).items() if isinstance(value, str | int | float))
    return {name: _storable(str(value)) for name, value in told}


def _storable(text: str) -> str:
    if _NO_CHARACTER.search(text):
        raise UnreadableArticle("holds a NUL or half of a surrogate pair, which is no character")
    return text


def xml_document(node: etree._Element) -> BiocDocument:
    """The document of an element `document`."""
    passages = (
        Passage(
            _infons(one), one.findtext("text") or _sentences(one), one.findtext("offset"),
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


def _sentences(passage: etree._Element) -> str:
    """The text of a passage that is divided into sentences, each at its offset."""
    return " ".join(one.findtext("text") or "" for one in passage.iterfind("sentence"))


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
