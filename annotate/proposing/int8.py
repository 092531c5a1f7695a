"""A copy of a version that computes in 8 bits on a CPU: a version of its own, so that its embeddings are apart from
those of the other, it is promoted by a person, and rolled back from. Imports torch."""

import shutil
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import db.articles
from annotate.articles.document_labels import Labels, labels_of
from annotate.project.home import folder, read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.proposing.propose import article_batches, query_of
from annotate.proposing.versions import find_version, register, verified_folder
from annotate.topics.project_topic import topic_now
from db.proposing.versions import versions
from db.tables import ModelVersion
from model.encoder import encode, load
from model.files import INT8_FILE
from model.int8 import NoInt8, load_int8, same_first, write_int8

# Below this share of articles whose first five stay as they were, no copy is kept.
ENOUGH_ALIKE = 0.98
MOST_ARTICLES = 200
BATCH_ARTICLES = 10
ENDING = " in 8 bits"

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Alike:
    """Both encoders on the same articles: how many, the share in which the order of the first five stays, and how many
    times as fast the encoding was, on this machine as busy as it was."""

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


def _measured(version: ModelVersion, whole: Any, int8: Any, progress: Progress) -> Alike:
    """Both on the first articles of the project, each with its own query."""
    numbers: list[int] = []
    for batch in article_batches(None, MOST_ARTICLES):
        numbers += batch
        break
    cosines: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    seconds = [0.0, 0.0]
    for start in range(0, len(numbers), BATCH_ARTICLES):
        chosen = numbers[start : start + BATCH_ARTICLES]
        texts, queries = _texts(version, chosen)
        for side, encoder in enumerate((whole, int8)):
            begun = time.perf_counter()
            cosines[side].extend(_cosines(encoder, texts, queries, mixed_precision=side == 0))
            seconds[side] += time.perf_counter() - begun
        progress("comparing both", start + len(chosen), len(numbers))
    faster = seconds[0] / seconds[1] if seconds[1] else 1.0
    return Alike(len(numbers), same_first(*cosines), round(faster, 2))


def _texts(version: ModelVersion, numbers: Sequence[int]) -> tuple[list[list[str]], list[str]]:
    """The sentences of each article, and its query."""
    with read() as session:
        rules, labels = topic_now(session).rules, labels_of(session, numbers)
        by_article: dict[int, list[str]] = {number: [] for number in numbers}
        for sentence in db.articles.sentences(session, numbers):
            by_article[sentence.article_id].append(sentence.text)
    queries = [query_of(rules, version, labels.get(number, Labels())) for number in numbers]
    return list(by_article.values()), queries


def _cosines(
    encoder: Any, texts: Sequence[Sequence[str]], queries: Sequence[str], *, mixed_precision: bool
) -> list[np.ndarray]:
    vectors = encode(encoder, [text for own in texts for text in own], queries=queries, mixed_precision=mixed_precision)
    ends = np.cumsum([len(queries), *map(len, texts)])
    return [own @ query for own, query in zip(np.split(vectors, ends)[1:-1], vectors, strict=False)]
