"""W3C Web Annotation: a collection of annotations, each tagging a sentence or a name in an article on the web.

https://www.w3.org/TR/annotation-model; a quote with what stands around it finds the place in any rendering of the
article, the position in Unicode characters in the text as Keyline holds it.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from annotate.gold.formats.documents import GoldDocument, Labelled, Mention
from annotate.topics.authorities import link_of

AROUND = 32  # characters before and after a quote


def as_web_annotation(documents: Iterable[GoldDocument]) -> bytes:
    """An annotation collection in JSON-LD, with all annotations on its first page."""
    made = [json.dumps(each, ensure_ascii=False) for document in documents for each in _annotations(document)]
    collection = {
        "@context": "http://www.w3.org/ns/anno.jsonld",
        "id": "urn:keyline:gold",
        "type": "AnnotationCollection",
        "label": "Key sentences",
        "total": len(made),
        "first": {"id": "urn:keyline:gold:1", "type": "AnnotationPage", "startIndex": 0, "items": []},
    }
    head = json.dumps(collection, ensure_ascii=False).removesuffix("]}}")  # the items come last
    return f"{head}{', '.join(made)}]}}}}\n".encode()


def _annotations(document: GoldDocument) -> Iterator[dict[str, Any]]:
    for number, span in enumerate(document.spans, 1):
        yield {
            "id": f"{document.urn}:{number}",
            "type": "Annotation",
            **({"created": span.row.time, "creator": _people(span)} if isinstance(span, Labelled) else {}),
            "body": _body(span),
            "target": {"source": document.address, "selector": _selectors(document.text, span.start, span.end)},
        }


def _people(labelled: Labelled) -> list[dict[str, str]]:
    row = labelled.row
    names = [row.decided_by] if row.decided_by else [name for name in row.annotators.split("; ") if name]
    return [{"type": "Person", "name": name} for name in names]


def _body(span: Labelled | Mention) -> list[dict[str, str]]:
    tag = {"type": "TextualBody", "purpose": "tagging", "value": span.type}
    if isinstance(span, Labelled):
        return [tag]
    pages = [page for identifier in span.identifiers if (page := link_of(span.type, identifier))]
    return [tag, *({"type": "SpecificResource", "purpose": "identifying", "source": page} for page in pages)]


def _selectors(text: str, start: int, end: int) -> list[dict[str, Any]]:
    quote = {
        "type": "TextQuoteSelector",
        "exact": text[start:end],
        "prefix": text[max(0, start - AROUND) : start],
        "suffix": text[end : end + AROUND],
    }
    return [quote, {"type": "TextPositionSelector", "start": start, "end": end}]
