"""A collection of reference lists made ready: documents, works, their vectors, and the map of vectors in use."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from annotate.finding.encoding import Encoder
from annotate.finding.judged.files import read_documents
from annotate.finding.library import Document
from annotate.finding.memory import MemoryLibrary
from annotate.finding.rankers.versions import Trained, files_of, serving
from annotate.related.evaluate import Judged, Progress
from annotate.related.judged import read_citing, read_works
from annotate.related.pool import Pool, passages, pooled

Report = Callable[[int, int], None]


def map_in_use() -> np.ndarray | None:
    """The map of vectors that serves, float32[d, d]; None where none was chosen. Raises DamagedModel."""
    version = serving(Trained.RELATED)
    if version is None:
        return None
    from safetensors.numpy import load_file  # noqa: PLC0415 (few need it)

    return np.asarray(load_file(str(files_of(version) / "map.safetensors"))["map"], dtype=np.float32)


def mapped(vectors: np.ndarray, matrix: np.ndarray | None) -> np.ndarray:
    """Unit vectors, float32[n, d], behind the map; as they are without one, or with one of another encoder's length."""
    if matrix is None or matrix.shape[0] != vectors.shape[1]:
        return vectors
    moved = vectors @ matrix
    return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def document_vectors(documents: Sequence[Document], encoder: Encoder, report: Report) -> np.ndarray:
    """Unit vectors of whole documents, float32[n, d]: of each passage, pooled, so that nothing is cut."""
    pieces = [passages(each.title, each.text.split("\n")) or [""] for each in documents]
    parts = [Document(f"{n}/{k}", "", text) for n, own in enumerate(pieces) for k, text in enumerate(own)]
    _, matrix = MemoryLibrary(parts, encoder, keep=True, progress=report).vectors()
    ends = np.cumsum([len(own) for own in pieces])
    return np.stack([pooled(each) for each in np.split(matrix, ends[:-1])])


def read_judged(
    docs: Path, works: Path, known: Path | None = None, *, plain: bool = False, progress: Progress
) -> Judged:
    """A collection from its files, its vectors computed once and kept in the project's folder.

    `plain` leaves the map in use out. Raises ValueError for what cannot be read, NotRanked, DamagedModel.
    """
    encoder = Encoder()
    matrix = None if plain else map_in_use()
    documents = read_documents(docs)
    titles = read_works(works)
    library = MemoryLibrary(
        [Document(each.key, each.title, each.text) for each in titles],
        encoder,
        keep=True,
        progress=partial(progress, "encoding works"),
    )
    of_documents = mapped(document_vectors(documents, encoder, partial(progress, "encoding documents")), matrix)
    pool = Pool(titles, mapped(library.vectors()[1], matrix))
    vectors = {each.key: vector for each, vector in zip(documents, of_documents, strict=True)}
    return Judged(
        pool,
        {each.key: each for each in documents},
        vectors,
        lambda texts: mapped(encoder.texts(texts), matrix),
        read_citing(known) if known else (),
    )
