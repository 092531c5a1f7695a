"""Vectors of all stored articles: computed by a job, kept by version, read once a process."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from sqlalchemy.orm import Session

import db.active_learning.screening
import db.articles
import db.finding.article_vectors
from annotate.articles.document import SectionKind
from annotate.finding.encoding import Encoder
from annotate.project.home import read, write
from annotate.project.memory import Memory
from annotate.project.rights import Right
from db.tables import ModelVersion

CHUNK = 512  # articles encoded and stored at once: half a minute's work on two cores is what a kill costs
OPENING = 3  # paragraphs that stand for an abstract where there is none


class Vectors(NamedTuple):
    """Keys of articles and their unit vectors, float32[n, dimension], in step."""

    keys: Sequence[str]
    matrix: np.ndarray


def store_vectors(
    version: ModelVersion,
    progress: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> int:
    """Computes the vectors of articles that have none of their present text by this version; returns how many.

    Stored vectors stay when it is cancelled or killed. Raises NotRanked where the version's files are damaged.
    """
    encoder = Encoder(version)
    with read() as session:
        total = db.finding.article_vectors.count_outdated(session, version.id)
    done = last = 0
    while not cancelled():
        with read() as session:
            found = db.finding.article_vectors.outdated(session, version.id, after=last, limit=CHUNK)
            texts = texts_of(session, {number: title for number, title, _, _ in found})
        if not found:
            break
        hashes = {number: _sha256(*text) for number, text in texts.items()}
        new = [(number, count) for number, _, count, before in found if before != hashes[number]]
        same = [(number, count) for number, _, count, before in found if before == hashes[number]]
        matrix = encoder.texts(
            ["\n".join(texts[number]).strip() for number, _ in new],
            partial(_from, progress, done, total),
        )
        rows = [
            {
                "version_id": version.id,
                "article_id": number,
                "sentence_count": count,
                "text_sha256": hashes[number],
                "vector": vector.astype(np.float16).tobytes(),
            }
            for (number, count), vector in zip(new, matrix, strict=True)
        ]
        with write(Right.SYSTEM) as session:
            if rows:
                db.finding.article_vectors.store(session, rows)
            db.finding.article_vectors.still(session, version.id, same)
        done, last = done + len(found), found[-1][0]
        progress(done, total)
    return done


def _sha256(title: str, text: str) -> str:
    return hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()


def _from(progress: Callable[[int, int], None], before: int, total: int, now: int) -> None:
    progress(before + now, total)


def texts_of(session: Session, titles: Mapping[int, str]) -> dict[int, tuple[str, str]]:
    """(title, abstract) by article; the first paragraphs where there is no abstract."""
    found: dict[int, list[str]] = {}
    numbers = list(titles)
    for start in range(0, len(numbers), CHUNK):
        chunk = numbers[start : start + CHUNK]
        found |= db.active_learning.screening.abstracts(session, chunk, SectionKind.ABSTRACT)
        found |= db.articles.beginnings(session, [number for number in chunk if number not in found], OPENING)
    return {number: (title, "\n".join(found.get(number, ()))) for number, title in titles.items()}


_kept: Memory[int, tuple[tuple[int, int, int], Vectors]] = Memory(2)


def stored_vectors(version: ModelVersion) -> Vectors:
    """All vectors of a version. Kept in memory (58 MB for 38,000 of 384 numbers), read again when any has changed."""
    memo = _kept.here()
    with read() as session:
        mark = db.finding.article_vectors.mark(session, version.id)
        kept = memo.get(version.id)  # another thread may empty it at any time
        if kept is not None and kept[0] == mark:
            return kept[1]
        rows = db.finding.article_vectors.vectors(session, version.id)
    matrix = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.float16).reshape(-1, version.dimension)
    found = Vectors([row[1] for row in rows], matrix.astype(np.float32))
    memo.clear()  # one version at a time
    memo[version.id] = (mark, found)
    return found
