"""JSON lines for Prodigy and spaCy: a task a labelled sentence, with its entities as spans.

https://prodi.gy/docs/api-interfaces; offsets count Unicode characters of the sentence.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from annotate.gold.formats.documents import GoldDocument, Labelled

LABEL = "KEY"
ANSWERS = {"1": "accept", "0": "reject"}  # of anything else, ignore


def as_prodigy(documents: Iterable[GoldDocument]) -> bytes:
    """One task a line."""
    lines = (json.dumps(task, ensure_ascii=False) + "\n" for document in documents for task in _tasks(document))
    return "".join(lines).encode()


def _tasks(document: GoldDocument) -> Iterator[dict[str, Any]]:
    about = document.identifiers | {"title": document.article.title}
    for sentence in document.labelled:
        yield {
            "text": sentence.row.sentence,
            "label": LABEL,
            "answer": ANSWERS.get(sentence.row.label, "ignore"),
            "spans": list(_spans(document, sentence)),
            "meta": about | {"section": sentence.row.section, "sentence": sentence.row.sentence_index},
        }


def _spans(document: GoldDocument, sentence: Labelled) -> Iterator[dict[str, Any]]:
    for mention in document.mentions:
        if sentence.start <= mention.start and mention.end <= sentence.end:
            place = {"start": mention.start - sentence.start, "end": mention.end - sentence.start}
            yield place | {"label": mention.type.upper(), "id": ",".join(mention.identifiers)}
