"""BioC JSON: one collection, a document an article, labelled sentences and entities as annotations of its passages.

https://bioc.sourceforge.net; offsets count Unicode characters from the beginning of the document, as PubTator's do.
"""

import json
from collections.abc import Iterable
from itertools import count
from typing import Any

from annotate.gold.formats.documents import GoldDocument, Labelled, Mention, Passage
from annotate.gold.rows import names_in


def as_bioc(documents: Iterable[GoldDocument]) -> bytes:
    """A BioC collection, of the day of its last label."""
    made, date = [], ""
    for document in documents:  # as text at once: an article's objects take many times its length
        made.append(json.dumps(_document(document), ensure_ascii=False))
        date = max(date, *(sentence.row["time"][:10] for sentence in document.labelled))
    about = {"bioctype": "BioCCollection", "source": "Keyline", "date": date, "key": "", "version": "1.0", "infons": {}}
    head = json.dumps(about | {"documents": []}, ensure_ascii=False).removesuffix("]}")  # its documents come last
    return f"{head}{', '.join(made)}]}}\n".encode()


def _document(document: GoldDocument) -> dict[str, Any]:
    article = document.article
    about = {"journal": article.journal, "year": article.year, "license": article.licence}
    infons = document.identifiers | {name: str(value) for name, value in about.items() if value}
    numbers = count(1)
    passages = [
        {
            "bioctype": "BioCPassage",
            "offset": passage.start,
            "infons": {"type": passage.kind, "section": passage.section},
            "text": passage.text,
            "sentences": [],
            "annotations": [
                _annotation(str(next(numbers)), passage, span)
                for span in document.spans
                if passage.start <= span.start and span.end <= passage.start + len(passage.text)
            ],
            "relations": [],
        }
        for passage in document.passages
    ]
    made = {"bioctype": "BioCDocument", "id": document.key, "infons": infons, "passages": passages}
    return made | {"annotations": [], "relations": []}


def _annotation(number: str, passage: Passage, span: Labelled | Mention) -> dict[str, Any]:
    infons = {"type": span.type}
    if isinstance(span, Mention):
        infons["identifier"] = ",".join(span.identifiers)
    else:
        optional = {"annotators": span.row["annotators"]} | names_in(span.row) | {"role": span.row["role"]}
        infons |= {name: value for name, value in optional.items() if value}
    text = passage.text[span.start - passage.start : span.end - passage.start]
    place = {"offset": span.start, "length": span.end - span.start}
    return {"id": number, "infons": infons, "text": text, "locations": [place]}
