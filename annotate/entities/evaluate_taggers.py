"""How well entities are recognised on a labelled corpus, without any stored article."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from annotate.entities.corpora import Document, content_hash, read_corpus
from annotate.entities.recognition import manifest, recogniser
from model.entity_types import EntityType
from model.evaluation.entity_scores import Marked, score


def evaluate(path: Path, progress: Callable[[int], None] = lambda done: None) -> tuple[dict[str, Any], int]:
    """Mentions (strict offsets) and identifiers (by document) against a corpus, by the types that it marks.

    Returns `{"mentions": {type: {precision, recall, f1}}, "identifiers": {...}, "documents": n}` and how many of the
    documents the tagger was trained on: on those, the figures say nothing. Raises UnreadableFile for a file that cannot
    be read, ValueError where it marks none of our types.
    """
    documents = read_corpus(path)
    marked = {mention.type for document in documents for mention in document.mentions}
    types = [kind for kind in EntityType if kind in marked]
    if not types:
        raise ValueError(f"{path.name} marks none of {', '.join(EntityType)}, in {len(documents):,} documents")
    identified = {m.type for document in documents for m in document.mentions if m.identifiers}
    figures = score(_pairs(documents, types, progress), types, [kind for kind in types if kind in identified])
    learned = set(manifest().get("documents", ()))
    seen = sum(content_hash(document) in learned for document in documents)
    return {**figures, "documents": len(documents)}, seen


def _pairs(
    documents: list[Document], types: list[EntityType], progress: Callable[[int], None]
) -> Iterator[tuple[list[Marked], list[Marked]]]:
    recognise = recogniser().recognise
    for done, document in enumerate(documents, 1):
        found = recognise(document.text, document.title_end, types)
        yield (
            [(m.start, m.end, str(m.type), m.identifiers) for m in found],
            [(m.start, m.end, m.type, m.identifiers) for m in document.mentions],
        )
        progress(done)
