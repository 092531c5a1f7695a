"""brat standoff: a text and its annotations an article, with the configuration that names their types.

https://brat.nlplab.org/standoff.html; offsets count Unicode characters, a span is told line by line.
"""

import re
from collections.abc import Iterable, Iterator

from annotate.gold.formats.documents import TYPES, GoldDocument, Labelled, Mention, named, packed
from annotate.topics.vocabularies import authority_of
from model.entity_types import EntityType

_LINES = re.compile("[^\n\u2028\u2029]+")  # as brat's reader parts them


@packed
def as_brat(documents: Iterable[GoldDocument]) -> Iterator[tuple[str, bytes]]:
    """A zip of KEY.txt and KEY.ann for each article, and annotation.conf."""
    entities = "\n".join([*TYPES.values(), *map(str, EntityType)])
    yield "annotation.conf", f"[entities]\n{entities}\n\n[relations]\n\n[events]\n\n[attributes]\n".encode()
    for name, document in named(documents):
        yield f"{name}.txt", document.text.encode()
        yield f"{name}.ann", "".join(_lines(document)).encode()


def _lines(document: GoldDocument) -> Iterator[str]:
    normalised = 0
    for number, span in enumerate(document.spans, 1):
        # The span in pieces that hold no line break.
        pieces = _LINES.finditer(document.text[span.start : span.end])
        places = ";".join(f"{span.start + piece.start()} {span.start + piece.end()}" for piece in pieces)
        yield f"T{number}\t{span.type} {places}\t{_on_one_line(document.text, span)}\n"
        for identifier in span.identifiers if isinstance(span, Mention) else ():
            normalised += 1
            authority = authority_of(span.type).replace(" ", "")
            yield f"N{normalised}\tReference T{number} {authority}:{identifier}\t{_on_one_line(document.text, span)}\n"


def _on_one_line(text: str, span: Labelled | Mention) -> str:
    return " ".join(_LINES.findall(text[span.start : span.end]))
