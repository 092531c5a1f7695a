"""PubAnnotation JSON: a list of documents with their denotations (https://www.pubannotation.org/docs/annotation-format).

Offsets count Unicode characters of the text that comes along, which PubAnnotation aligns with its own.
"""

import json
from collections.abc import Iterable
from typing import Any

from annotate.gold.formats.documents import GoldDocument, Mention


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
