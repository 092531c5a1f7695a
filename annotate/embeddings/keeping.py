"""Stores embeddings as they are computed: in the database, or many articles at once in a file next to it.

The database knows which file has an article's embeddings. They can be computed again, so they need no backup: where a
file is gone or damaged, its articles wait to be embedded again.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

import db.articles
import db.proposing
from annotate.embeddings.embedding_files import folder_of, write_file
from annotate.project import logs
from annotate.project.home import read, write
from annotate.project.rights import Right

# Of a project. With 384 numbers a sentence, as the embedded encoder has them, 1.5 GB.
DATABASE_SENTENCES = 2_000_000
# A file is written with this many sentences, 38 MB of those; or when this many seconds of work are in memory alone.
FILE_SENTENCES, FILE_SECONDS = 50_000, 120.0
LEAST_SENTENCES = 5_000  # fewer go to the database: each import that follows would leave a small file
_LEFT_AFTER = 3600.0  # seconds; a file that no row names yet, but will, is not as old


@contextmanager
def keeping(version_id: int) -> Iterator["Keeper"]:
    """A keeper for the block; what waits at its end, also at one by an error, is stored."""
    with read() as session:
        _, sentences = db.articles.text_mark(session)
    keeper = Keeper(version_id, in_files=sentences > DATABASE_SENTENCES)
    try:
        yield keeper
    finally:
        keeper.store()


class Keeper:
    """Takes in embeddings of a version as they are computed."""

    def __init__(self, version_id: int, *, in_files: bool) -> None:
        self._version_id = version_id
        self._in_files = in_files
        self._waiting: dict[int, np.ndarray] = {}
        self._sentences = 0
        self._since = time.monotonic()

    def add(self, vectors: Mapping[int, np.ndarray]) -> None:
        """Stores embeddings of some articles, float16, (sentences, dimension) each: at once, or with later ones."""
        self._waiting.update(vectors)
        self._sentences += sum(len(own) for own in vectors.values())
        is_old = self._sentences >= LEAST_SENTENCES and time.monotonic() - self._since > FILE_SECONDS
        if not self._in_files or is_old or self._sentences >= FILE_SENTENCES:
            self.store()

    def store(self) -> None:
        """Stores all that waits. A file is whole on disk before any row names it."""
        if not self._waiting:
            return
        stored: dict[int, dict[str, Any]]
        if self._in_files and self._sentences >= LEAST_SENTENCES:
            name, hashes = write_file(self._version_id, self._waiting)
            stored = {article_id: {"file": name, "sha256": sha256} for article_id, sha256 in hashes.items()}
        else:
            stored = {article_id: {"vectors": own.tobytes()} for article_id, own in self._waiting.items()}
        rows = [
            {"version_id": self._version_id, "article_id": article_id, "sentence_count": len(own), **stored[article_id]}
            for article_id, own in self._waiting.items()
        ]
        with write(Right.SYSTEM) as session:
            db.proposing.store_embeddings(session, rows)
        self._waiting, self._sentences, self._since = {}, 0, time.monotonic()


def remove_lost(version_id: int) -> None:
    """Forgets what lay in files that are gone or damaged, so that it is made again; removes files that no row names."""
    within = folder_of(version_id)
    with read() as session:
        named = set(db.proposing.embedding_files(session, version_id))
    if lost := sorted(name for name in named if not (within / name).exists()):
        with write(Right.SYSTEM) as session:
            articles = db.proposing.forget_files(session, version_id, lost)
        logs.warning("embeddings lost, computed again", files=len(lost), articles=articles)
    for path in within.glob("*"):
        with suppress(FileNotFoundError):  # another process removed it
            if path.name not in named and path.stat().st_mtime < time.time() - _LEFT_AFTER:
                path.unlink()  # who has mapped it keeps it
