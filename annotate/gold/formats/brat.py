"""brat standoff: a text and its annotations an article, with the configuration that names their types.

https://brat.nlplab.org/standoff.html; offsets count Unicode characters, a span is told line by line.
"""

import re
from collections.abc import Iterable, Iterator

from annotate.gold.formats.documents import TYPES, GoldDocument, Labelled, Mention, named, packed
from annotate.topics.authorities import authority_of
from model.entity_types import EntityType

_LINES = re.compile("[^\n\u2028\u2029]+")  # as brat's reader parts them


def as_brat(documents: Iterable[GoldDocument]) -> bytes:
    """A zip of KEY.txt and KEY.ann for each article, and annotation.conf."""
    return packed(_files(documents))


def _files(documents: Iterable[GoldDocument]) -> Iterator[tuple[str, bytes]]:
    entities = "\n".join([*TYPES.values(), *map(str, EntityType)])
    yield "annotation.conf", f"[entities]\n{entities}\n\n[relations]\n\n[events]\n\n[attributes]\n".encode()
    for name, document in named(documents):
        yield f"{name}.txt", document.text.encode()
        yield f"{name}.ann", "".join(_lines(document)).encode()


def _lines(document: GoldDocument) -> Iterator[str]:
    normalised = 0
    for number, span in enumerate(document.spans, 1):
        yield f"T{number}\t{span.type} {_places(document.text, span)}\t{_on_one_line(document.text, span)}\n"
        for identifier in span.identifiers if isinstance(span, Mention) else ():
            normalised += 1
            authority = authority_of(span.type).replace(" ", "")
            yield f"N{normalised}\tReference T{number} {authority}:{identifier}\t{_on_one_line(document.text, span)}\n"


def _places(text: str, span: Labelled | Mention) -> str:
    """The span in pieces that hold no line break, as `start end;start end`."""
    pieces = _LINES.finditer(text[span.start : span.end])
    return ";".join(f"{span.start + piece.start()} {span.start + piece.end()}" for piece in pieces)


def _on_one_line(text: str, span: Labelled | Mention) -> str:
    return " ".join(_LINES.findall(text[span.start : span.end]))
