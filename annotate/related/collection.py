"""A collection of reference lists made ready: documents, works, their vectors, and the map of vectors in use."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from annotate.embeddings.text_vectors import TextVectors
from annotate.finding.encoding import Encoder
from annotate.finding.judged.judged_files import read_documents
from annotate.finding.library import Document
from annotate.project.home import folder
from annotate.related.evaluate_related import Judged, Progress
from annotate.related.judged import read_citing, read_works
from annotate.related.maps import learnt_from, map_in_use, mapped
from annotate.related.pool import Pool, passages, pooled

Report = Callable[[int, int], None]


def document_vectors(documents: Sequence[Document], kept: TextVectors, report: Report) -> np.ndarray:
    """Unit vectors of whole documents, float32[n, d]: of each passage, pooled, so that nothing is cut."""
    pieces = [passages(each.title, each.text.split("\n")) or [""] for each in documents]
    matrix = kept.of([text for own in pieces for text in own], report)
    ends = np.cumsum([len(own) for own in pieces])
    return np.stack([pooled(each) for each in np.split(matrix, ends[:-1])])


def read_judged(
    docs: Path,
    works: Path,
    known: Path | None = None,
    *,
    of: Collection[str] | None = None,
    plain: bool = False,
    encoder: Encoder | None = None,
    progress: Progress,
) -> Judged:
    """A collection from its files, its vectors computed once and kept in the project's folder.

    `of`: the ids of the documents that need vectors; all by default. `plain` leaves the map in use out; `encoder` is
    the proposing version's by default. Raises ValueError for what cannot be read, NotRanked, DamagedModel.
    """
    encoder = encoder or Encoder()
    learnt = None if plain else map_in_use(encoder)
    kept = encoder.kept_in(folder("related"))
    documents = read_documents(docs)
    titles = read_works(works)
    lists = read_citing(known) if known else []
    needed = [each for each in documents if of is None or each.key in of]
    of_works = kept.of([f"{each.title}\n{each.text}".strip() for each in titles], partial(progress, "encoding works"))
    of_documents = document_vectors(needed, kept, partial(progress, "encoding documents")) if needed else np.empty((0,))
    moved = mapped(of_documents, learnt) if needed else of_documents
    return Judged(
        Pool(titles, mapped(of_works, learnt)),
        {each.key: each for each in documents},
        {each.key: vector for each, vector in zip(needed, moved, strict=True)},
        lambda texts: mapped(kept.of(texts, partial(progress, "encoding sentences")), learnt),
        lists,
        learnt,
        learnt_from(encoder.version),
    )
