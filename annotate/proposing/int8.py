"""A copy of a version that computes in 8 bits on a CPU: a version of its own, so that its embeddings are apart from
those of the other, it is promoted by a person, and rolled back from. Imports torch.

The first sentences of each article are encoded again by its whole weights, see first_again.py.
"""

import shutil
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sentence_transformers import SentenceTransformer

from annotate.project.home import folder, read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.proposing.embed import Chunk, Embedder, Encoding, chunk_of
from annotate.proposing.propose import article_batches
from annotate.proposing.versions import find_version, register, verified_folder
from db.proposing.versions import versions
from db.tables import ModelVersion
from model.devices import bfloat16_pays
from model.encoder import encode, load
from model.evaluation.metrics import same_first
from model.files import INT8_FILE
from model.int8 import Int8Encoder, load_int8, write_int8
from model.int8_files import NoInt8

# Below this share of articles whose first five stay as they were, no copy is kept.
ENOUGH_ALIKE = 0.98
MOST_ARTICLES = 200
BATCH_ARTICLES = 10
ENDING = " in 8 bits"

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Alike:
    """Both encoders on the same articles: how many, the share in which the order of the first five stays as in float32,
    and how many times as fast the encoding was, on this machine as busy as it was."""

    articles: int
    same_first_five: float
    times_as_fast: float


class NotAlike(NoInt8):
    """The copy ranks otherwise; the message says in how many articles."""


def add_int8(name: str | None, progress: Progress = lambda stage, done, total: None) -> dict[str, Any]:
    """Makes and registers the copy of a version, by default of the proposing one, where it ranks as that does.

    Returns its name and what was measured. Raises NoInt8, and NotAlike where the first five change in too many
    articles; ValueError where there is such a copy; DamagedModel.
    """
    version = find_version(name)
    copy = version.name + ENDING
    if INT8_FILE in version.manifest:
        raise ValueError(f"{version.name} computes in 8 bits already")
    with read() as session:
        if copy in {found.name for found in versions(session)}:
            raise ValueError(f"there is a version {copy} already")
    source = verified_folder(version)
    partial, final = (folder("models") / f"{uuid.uuid4().hex}{ending}" for ending in (".partial", ""))
    try:
        progress("writing it in 8 bits", 0, 0)
        shutil.copytree(source, partial)
        write_int8(partial)
        found = _measured(version, load(source, "cpu", most_tokens=None), load_int8(partial), progress)
        if found.same_first_five < ENOUGH_ALIKE:
            raise NotAlike(
                f"in 8 bits the first five stay the same in {found.same_first_five:.1%} of {found.articles} articles; "
                f"{ENOUGH_ALIKE:.0%} are needed, so {version.name} goes on as it is"
            )
        partial.rename(final)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    with write(Right.TRAIN) as session:
        note(session, Noted.ENCODER, f"added {copy}", source=version.name, **asdict(found))
        register(
            session,
            final,
            name=copy,
            encoder=version.encoder,
            topic_sha256=version.topic_sha256,
            parent_id=version.parent_id,
            query=version.query,
        )
    return {"version": copy, **asdict(found)}


def _measured(version: ModelVersion, whole: SentenceTransformer, int8: Int8Encoder, progress: Progress) -> Alike:
    """Both on the first articles of the project, each with its own query: the copy as it will embed them."""
    numbers: list[int] = []
    for batch in article_batches(None, MOST_ARTICLES):
        numbers += batch
        break
    cosines: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    seconds = [0.0, 0.0]
    for start in range(0, len(numbers), BATCH_ARTICLES):
        with read() as session:
            chunk = chunk_of(session, version, numbers[start : start + BATCH_ARTICLES])
        queries = int8.encode([], queries=[chunk.queries[number] for number in chunk.article_ids])
        for side, encoder in enumerate((whole, int8)):
            begun = time.perf_counter()
            ((_, vectors),) = Encoding(Embedder(version, encoder))(chunk)
            seconds[side] += time.perf_counter() - begun
            # Its usual way says how long it takes, float32 which sentences come first: bfloat16 changes that as well.
            if encoder is whole and bfloat16_pays("cpu"):
                vectors = encode(whole, chunk.texts, mixed_precision=False).astype(np.float16)
            cosines[side].extend(_cosines(chunk, vectors, queries))
        progress("comparing both", start + len(chunk.article_ids), len(numbers))
    faster = seconds[0] / seconds[1] if seconds[1] else 1.0
    return Alike(len(numbers), same_first(*cosines), round(faster, 2))


def _cosines(chunk: Chunk, vectors: np.ndarray, queries: np.ndarray) -> list[np.ndarray]:
    """Of the sentences of each article, as they would be stored, with its query."""
    own = (vectors[chunk.owners == number].astype(np.float32) for number in chunk.article_ids)
    return [sentences @ query for sentences, query in zip(own, queries, strict=True)]
