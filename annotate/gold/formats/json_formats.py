"""Annotated articles as JSON of PubAnnotation, of Prodigy and spaCy, and of W3C's Web Annotation.

https://www.pubannotation.org/docs/annotation-format, https://prodi.gy/docs/api-interfaces,
https://www.w3.org/TR/annotation-model; offsets count Unicode characters of the text that comes along.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from annotate.gold.export_file import json_lines
from annotate.gold.formats.documents import GoldDocument, Labelled, Mention
from annotate.topics.vocabularies import link_of


def as_pubannotation(documents: Iterable[GoldDocument]) -> bytes:
    """A list of annotated documents."""
    made = (json.dumps(_document(document), ensure_ascii=False) for document in documents)
    return f"[{', '.join(made)}]\n".encode()


def _document(document: GoldDocument) -> dict[str, Any]:
    identified = [
        (f"T{number}", identifier)
        for number, span in enumerate(document.spans, 1)
        if isinstance(span, Mention)
        for identifier in span.identifiers
    ]
    return _source(document) | {
        "text": document.text,
        "denotations": [
            {"id": f"T{number}", "span": {"begin": span.start, "end": span.end}, "obj": span.type}
            for number, span in enumerate(document.spans, 1)
        ],
        "attributes": [
            {"id": f"A{number}", "subj": subject, "pred": "identifier", "obj": identifier}
            for number, (subject, identifier) in enumerate(identified, 1)
        ],
    }


def _source(document: GoldDocument) -> dict[str, str]:
    """PubAnnotation names PubMed by number, PubMed Central by number without its letters."""
    if pmid := document.identifiers.get("pmid"):
        return {"sourcedb": "PubMed", "sourceid": pmid}
    if pmcid := document.identifiers.get("pmcid"):
        return {"sourcedb": "PMC", "sourceid": pmcid.removeprefix("PMC")}
    return {"sourcedb": "Keyline", "sourceid": document.key}


LABEL = "KEY"
ANSWERS = {"1": "accept", "0": "reject"}  # of anything else, ignore


def as_prodigy(documents: Iterable[GoldDocument]) -> bytes:
    """One task a line."""
    return json_lines(task for document in documents for task in _tasks(document))


def _tasks(document: GoldDocument) -> Iterator[dict[str, Any]]:
    about = document.identifiers | {"title": document.article.title}
    for sentence in document.labelled:
        yield {
            "text": sentence.row["sentence"],
            "label": LABEL,
            "answer": ANSWERS.get(sentence.row["label"], "ignore"),
            "spans": [
                {"start": mention.start - sentence.start, "end": mention.end - sentence.start}
                | {"label": mention.type.upper(), "id": ",".join(mention.identifiers)}
                for mention in document.mentions
                if sentence.start <= mention.start and mention.end <= sentence.end
            ],
            "meta": about | {"section": sentence.row["section"], "sentence": sentence.row["sentence_index"]},
        }


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
        provenance: dict[str, Any] = {}
        if isinstance(span, Labelled):
            row = span.row
            names = filter(None, [row["decided_by"]] if row["decided_by"] else row["annotators"].split("; "))
            provenance = {"created": row["time"], "creator": [{"type": "Person", "name": name} for name in names]}
        yield {
            "id": f"{document.urn}:{number}",
            "type": "Annotation",
            **provenance,
            "body": _body(span),
            "target": {"source": document.address, "selector": _selectors(document.text, span.start, span.end)},
        }


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
