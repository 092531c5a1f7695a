"""Labelled corpora: JSON lines of this project, PubTator, and BioC as XML or JSON; each may be compressed by gzip."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from annotate.articles.parsing.bioc import BiocDocument, json_documents, pubtator_documents, xml_document
from annotate.articles.parsing.safe_xml import SAFE_OPTIONS
from annotate.project.files.labelled_files import Key, numbered_rows
from annotate.project.files.packed_lines import UnreadableFile, text_lines, unpacked

# What other corpora call our types; a type that is not here keeps its name in small letters.
TYPES = {
    "gene": "gene", "geneorgeneproduct": "gene", "geneorprotein": "gene", "protein": "gene", "familyname": "family",
    "genefamily": "family", "domainmotif": "domain", "species": "organism", "organism": "organism",
    "organismtaxon": "organism", "cellline": "cell_line", "celltype": "cell_type", "cell": "cell",
}  # fmt: skip
_BIOC_WORDS = (b'"passages"', b'"documents"', b'"PubTator3"')
MOST_CHARACTERS = 50_000_000  # of a document: where a passage of one says it begins behind, the file is wrong
MOST_BYTES = 400_000_000  # of BioC and PubTator
_IDENTIFIER_KEYS = ("identifier", "ncbi gene", "ncbi taxonomy", "cellosaurus", "accession", "database id")
_NONE = {"", "-", "none", "null", "*"}


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


def read_corpus(path: Path) -> list[Document]:
    """The documents of a file. Raises UnreadableFile where it is none of the formats, wrong or cut."""
    with unpacked(path) as stream:
        beginning = stream.peek(4096)[:4096].lstrip(b"\xef\xbb\xbf \r\n\t")
    if beginning.startswith((b"{", b"[")) and not any(word in beginning for word in _BIOC_WORDS):
        return [document for _, document in numbered_rows(path, _row)]
    try:
        return [_document(each) for each in _bioc_documents(path, beginning)]
    except UnreadableFile:
        raise
    except (UnicodeDecodeError, etree.XMLSyntaxError) as error:
        raise UnreadableFile(f"{path.name} is damaged or cut: {error}") from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableFile(f"{path.name} cannot be read: {error}") from error


def content_hash(document: Document) -> str:
    """Names the text of a document, so that a tagger's own training texts are known again."""
    return hashlib.sha256(" ".join(document.text.split()).encode()).hexdigest()[:24]


def _row(id: Key, text: str, mentions: list[Any], title_end: int = 0) -> Document:
    return _checked(id, text, [_marking(given) for given in mentions], title_end)


def _marking(given: Any) -> Marking:
    if not isinstance(given, list) or len(given) < 3:
        raise ValueError(f"the mention {json.dumps(given)[:80]} is no list of start, end and type")
    return Marking(int(given[0]), int(given[1]), str(given[2]), identifiers_of(given[3]) if len(given) > 3 else ())


def _bioc_documents(path: Path, beginning: bytes) -> Iterator[BiocDocument]:
    with unpacked(path, most_bytes=MOST_BYTES) as stream:
        if beginning.startswith(b"<"):
            for _, node in etree.iterparse(stream, tag="document", **SAFE_OPTIONS):
                yield xml_document(node)
                node.clear()
        elif beginning.startswith((b"{", b"[")):
            yield from json_documents(json.load(stream))
        elif b"|t|" in beginning.partition(b"\n")[0]:
            yield from pubtator_documents(line for _, line in text_lines(path))
        else:
            raise ValueError("it is neither JSON lines nor PubTator nor BioC" if beginning else "it is empty")


def _document(found: BiocDocument) -> Document:
    text = ""
    mentions = []
    try:
        for passage in found.passages:
            offset = int(passage.offset)
            if not 0 <= offset <= MOST_CHARACTERS:
                raise ValueError(f"the offset {offset} is none of a text")
            # Offsets count from the beginning of the document; what lies between two passages is blank.
            text = text.ljust(offset) + passage.text
            mentions += [_annotation(each) for each in passage.annotations]
        title = found.passages[0].text if found.passages and found.passages[0].is_title else ""
        return _checked(found.id, text, mentions, len(title))
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"document {found.id}: {error}") from error


def _annotation(annotation: Mapping[str, Any]) -> Marking:
    infons = {str(key).lower(): value for key, value in annotation["infons"].items()}
    named = next((infons[key] for key in _IDENTIFIER_KEYS if infons.get(key)), "")
    start, length = (int(annotation["locations"][0][name]) for name in ("offset", "length"))
    return Marking(start, start + length, type_of(str(infons.get("type", ""))), identifiers_of(str(named)))


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


def _checked(name: str, text: str, mentions: list[Marking], title_end: int) -> Document:
    for mention in mentions:
        if not 0 <= mention.start < mention.end <= len(text):
            raise ValueError(f"{mention.start} to {mention.end} is not within its text")
    return Document(name, text, tuple(mentions), title_end)
