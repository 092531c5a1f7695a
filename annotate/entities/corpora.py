"""Labelled corpora: JSON lines of this project, PubTator, and BioC as XML or JSON; each may be compressed by gzip."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from annotate.project.files.packed_lines import UnreadableFile, json_lines, text_lines, unpacked

# What other corpora call our types; a type that is not here keeps its name in small letters.
TYPES = {
    "gene": "gene", "geneorgeneproduct": "gene", "geneorprotein": "gene", "protein": "gene", "familyname": "family",
    "genefamily": "family", "domainmotif": "domain", "species": "organism", "organism": "organism",
    "organismtaxon": "organism", "cellline": "cell_line", "celltype": "cell_type", "cell": "cell",
}  # fmt: skip
_IDENTIFIER_KEYS = ("identifier", "ncbi gene", "ncbi taxonomy", "cellosaurus", "accession", "database id")
_NONE = {"", "-", "none", "null", "*"}


class BadCorpus(UnreadableFile):
    """A corpus that cannot be read; the message names the file, the place and the reason."""


@dataclass(frozen=True, slots=True)
class Marking:
    """What somebody marked: half-open offsets, the type, and identifiers where there are some."""

    start: int
    end: int
    type: str
    identifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One labelled text."""

    id: str
    text: str
    mentions: tuple[Marking, ...]
    title_end: int = 0


def read_corpus(path: Path) -> Iterator[Document]:
    """The documents of a file, one by one. Raises BadCorpus where it is none of the formats, wrong or cut."""
    try:
        with unpacked(path) as stream:
            beginning = stream.peek(4096)[:4096].lstrip(b"\xef\xbb\xbf \r\n\t")
        yield from _reader(path, beginning)(path)
    except (UnreadableFile, UnicodeDecodeError, etree.XMLSyntaxError) as error:
        damaged = "" if isinstance(error, UnreadableFile) else f"{path.name} is damaged or cut: "
        raise BadCorpus(f"{damaged}{error}") from error


def content_hash(document: Document) -> str:
    """Names the text of a document, so that a tagger's own training texts are known again."""
    return hashlib.sha256(" ".join(document.text.split()).encode()).hexdigest()[:24]


_BIOC_WORDS = (b'"passages"', b'"documents"', b'"PubTator3"')
MOST_CHARACTERS = 50_000_000  # of a document: where a passage of one says it begins behind, the file is wrong
MOST_JSON_BYTES = 400_000_000  # of BioC as JSON, which is read whole

Reader = Callable[[Path], Iterable[Document]]


def _reader(path: Path, beginning: bytes) -> Reader:
    first_line = beginning.partition(b"\n")[0]
    if beginning.startswith(b"<"):
        return _bioc_xml
    if beginning.startswith((b"{", b"[")):
        return _bioc_json if any(word in beginning for word in _BIOC_WORDS) else _json_lines
    if b"|t|" in first_line:
        return _pubtator
    if not beginning:
        raise BadCorpus(f"{path.name} is empty")
    raise BadCorpus(f"{path.name} is neither JSON lines nor PubTator nor BioC")


def _json_lines(path: Path) -> Iterator[Document]:
    def parse(told: Mapping[str, Any]) -> Document:
        mentions = [_marking(given) for given in told["mentions"]]
        return _checked(path, str(told["id"]), told["text"], mentions, int(told.get("title_end", 0)))

    return (document for _, document in json_lines(path, parse))


def _marking(given: Any) -> Marking:
    if not isinstance(given, list) or len(given) < 3:
        raise ValueError(f"the mention {json.dumps(given)[:80]} is no list of start, end and type")
    return Marking(int(given[0]), int(given[1]), str(given[2]), identifiers_of(given[3]) if len(given) > 3 else ())


def _pubtator(path: Path) -> Iterator[Document]:
    name, texts, mentions = "", ["", ""], list[Marking]()
    for number, line in text_lines(path):
        try:
            if "|t|" in line[:40] or "|a|" in line[:40]:
                its, part, text = line.split("|", 2)
                if part == "t" and name:
                    yield _checked(path, name, " ".join(texts), mentions, len(texts[0]))
                if part == "t":
                    name, texts, mentions = its, [text, ""], []
                else:
                    texts[1] = text
            elif line.strip():
                fields = line.split("\t")
                if len(fields) >= 5 and fields[1].isdigit():
                    identifiers = identifiers_of(fields[5]) if len(fields) > 5 else ()
                    mentions.append(Marking(int(fields[1]), int(fields[2]), type_of(fields[4]), identifiers))
        except ValueError as error:
            raise BadCorpus(f"{path.name}, line {number}: {error}") from error
    if name:
        yield _checked(path, name, " ".join(texts), mentions, len(texts[0]))


def _bioc_xml(path: Path) -> Iterator[Document]:
    with unpacked(path) as stream:
        parsed = etree.iterparse(
            stream, events=("end",), tag="document", resolve_entities=False, no_network=True, load_dtd=False
        )
        for _, node in parsed:
            passages = [
                {
                    "offset": passage.findtext("offset"),
                    "text": passage.findtext("text"),
                    "annotations": [_annotation(a) for a in passage.iter("annotation")],
                }
                for passage in node.iter("passage")
            ]
            yield _bioc(path, {"id": node.findtext("id"), "passages": passages})
            node.clear()


def _annotation(node: Any) -> dict[str, Any]:
    return {
        "infons": {infon.get("key"): infon.text for infon in node.iter("infon")},
        "locations": [dict(location.attrib) for location in node.iter("location")],
    }


def _bioc_json(path: Path) -> Iterator[Document]:
    try:
        with unpacked(path, most_bytes=MOST_JSON_BYTES) as stream:
            told = json.load(stream)
        documents = told if isinstance(told, list) else told.get("documents") or told.get("PubTator3") or [told]
        for document in documents:
            yield _bioc(path, document)
    except UnreadableFile:
        raise
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise BadCorpus(f"{path.name}: {error}") from error


def _bioc(path: Path, document: dict[str, Any]) -> Document:
    text = ""
    mentions = []
    try:
        for passage in document["passages"]:
            offset = int(passage["offset"])
            if not 0 <= offset <= MOST_CHARACTERS:
                raise ValueError(f"the offset {offset} is none of a text")
            # Offsets count from the beginning of the document; what lies between two passages is blank.
            text = text.ljust(offset) + (passage.get("text") or "")
            for annotation in passage.get("annotations", ()):
                infons = {str(key).lower(): value for key, value in annotation["infons"].items()}
                named = next((infons[key] for key in _IDENTIFIER_KEYS if infons.get(key)), "")
                place = annotation["locations"][0]
                start = int(place["offset"])
                kind = type_of(str(infons.get("type", "")))
                mentions.append(Marking(start, start + int(place["length"]), kind, identifiers_of(str(named))))
        return _checked(path, str(document["id"]), text, mentions)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise BadCorpus(f"{path.name}, document {document.get('id')}: {error!r}") from error


def type_of(name: str) -> str:
    """Our name of a type: `GeneOrGeneProduct` is gene."""
    bare = "".join(letter for letter in name.lower() if letter.isalnum())
    return TYPES.get(bare, name.lower())


def identifiers_of(text: Any) -> tuple[str, ...]:
    """The identifiers of a field: apart by comma, semicolon or bar, without the name of their authority."""
    if not isinstance(text, str):
        return ()
    found = []
    for part in text.replace(";", ",").replace("|", ",").split(","):
        bare = part.strip()
        for authority in ("NCBI Gene:", "NCBI:", "NCBIGene:", "NCBITaxon:", "NCBI Taxonomy:", "taxon:"):
            bare = bare.removeprefix(authority)
        if bare.lower() not in _NONE:
            found.append(bare)
    return tuple(dict.fromkeys(found))


def _checked(path: Path, name: str, text: Any, mentions: list[Marking], title_end: int = 0) -> Document:
    if not isinstance(text, str):
        raise BadCorpus(f"{path.name}, document {name}: its text is no text")
    for mention in mentions:
        if not 0 <= mention.start < mention.end <= len(text):
            raise BadCorpus(f"{path.name}, document {name}: {mention.start} to {mention.end} is not within its text")
    return Document(name, text, tuple(mentions), title_end)
