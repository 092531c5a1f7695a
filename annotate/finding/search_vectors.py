"""Vectors of all stored articles: computed by a job, kept by version, read once a process."""

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

import db.finding.read_texts
import db.registry
import db.rows
from annotate.finding.encoding import Encoder
from annotate.project.home import read, write
from annotate.project.memory import Latest
from annotate.project.rights import Right
from annotate.screening.abstracts import texts_of
from db.tables import ModelVersion, ReadText

CHUNK = 512  # articles encoded and stored at once: half a minute's work on two cores is what a kill costs


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
        total = db.finding.read_texts.count_outdated(session, version.id)
    number = done = last = 0
    while not cancelled():
        with read() as session:
            found = db.finding.read_texts.outdated(session, version.id, after=last, limit=CHUNK)
            texts = texts_of(session, {article_id: title for article_id, title, _, _ in found})
        if not found:
            break
        hashes = {each: hashlib.sha256("\n".join(text).encode()).hexdigest() for each, text in texts.items()}
        new = [(article_id, count) for article_id, _, count, before in found if before != hashes[article_id]]
        same = [(article_id, count) for article_id, _, count, before in found if before == hashes[article_id]]

        def within(now: int, before: int = done) -> None:
            progress(before + now, total)

        whole = ["\n".join(texts[each]).strip() for each, _ in new]
        vectors = list(encoder.texts(whole, within).astype(np.float16)) if new else []
        rows = [
            {"version_id": version.id, "article_id": each, "sentence_count": count}
            | {"text_sha256": hashes[each], "made": vector.tobytes()}
            for (each, count), vector in zip(new, vectors, strict=True)
        ]
        with write(Right.SYSTEM) as session:
            db.rows.put(session, ReadText, rows)
            db.finding.read_texts.still(session, version.id, same)
        number, done, last = number + len(new), done + len(found), found[-1][0]
        progress(done, total)
    return number


_kept: Latest[Vectors] = Latest(2)


def stored_vectors(version: ModelVersion) -> Vectors:
    """All vectors of a version. Kept in memory (58 MB for 38,000 of 384 numbers), read again when any has changed."""

    def made() -> Vectors:
        rows = db.finding.read_texts.made(session, version.id)
        matrix = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.float16).reshape(-1, version.dimension)
        return Vectors([row[1] for row in rows], matrix.astype(np.float32))

    with read() as session:
        return _kept.at((version.id, *db.finding.read_texts.mark(session, version.id)), made)


def warm_up() -> bool:
    """Has the encoder's files read ahead of the first question, where articles are compared by meaning at all; whether
    that begins now."""
    with read() as session:
        version = db.registry.encoder_in_use(session)
    if version is None or (encoder := Encoder(version)).is_read_ahead or not stored_vectors(version).keys:
        return False
    encoder.read_ahead()
    return True
