"""Vectors of texts, each computed once: kept in a folder by a hash of the text."""

import hashlib
import logging
import secrets
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from annotate.project.whole_files import whole_file

_log = logging.getLogger(__name__)

HASH_BYTES = 16
# Texts computed and written at once: the work that a kill or a cancelled job loses.
CHUNK = 512
# What numpy raises for an archive that a full disk or a bad sector has damaged.
DAMAGED = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)


class StoppedEncoding(RuntimeError):
    """A cancelled job stopped the encoding; the vectors of finished chunks are kept."""


class TextVectors:
    """The vectors that one encoder gives texts, in files whose names begin with `prefix`, one file a chunk.

    `encode` gives vectors of texts, shape (n, dimension). A damaged file counts for nothing, and a warning names it:
    its texts are encoded again.
    """

    def __init__(self, place: Path, encode: Callable[[Sequence[str]], np.ndarray], prefix: str = "") -> None:
        self.place, self._encode, self._prefix = place, encode, prefix
        self._known: dict[bytes, np.ndarray] = {}
        self._read: set[Path] = set()
        place.mkdir(parents=True, exist_ok=True)

    def of(
        self,
        texts: Sequence[str],
        progress: Callable[[int, int], None] = lambda done, total: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> np.ndarray:
        """The vectors of texts, float32, shape (n, dimension). `progress` hears how many are known, of how many.

        Raises StoppedEncoding once `cancelled`, and what the encoder raises.
        """
        keys = [_key(text) for text in texts]
        self._read_new()
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        waiting = sorted(missing, key=lambda key: len(missing[key]))  # texts of like length need little padding
        done = len(keys) - len(waiting)
        for start in range(0, len(waiting), CHUNK):
            if cancelled():
                raise StoppedEncoding
            progress(done + start, len(keys))
            chunk = waiting[start : start + CHUNK]
            self._keep(chunk, np.asarray(self._encode([missing[key] for key in chunk])).astype(np.float16))
        progress(len(keys), len(keys))
        return np.array([self._known[key] for key in keys], dtype=np.float32)

    def known(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """The vectors that are kept of these texts, float32, by text; nothing is encoded."""
        self._read_new()
        found = {text: self._known.get(_key(text)) for text in texts}
        return {text: vector.astype(np.float32) for text, vector in found.items() if vector is not None}

    @property
    def mark(self) -> tuple[str, ...]:
        """A value that changes when vectors are added."""
        return tuple(path.name for path in self._files())

    def _files(self) -> list[Path]:
        # A name with a dot in front is being written, or was when its process was killed.
        return sorted(self.place.glob(f"{self._prefix}[!.]*.npz"))

    def _read_new(self) -> None:
        for path in self._files():
            if path not in self._read:
                self._read.add(path)
                self._known |= _vectors_in(path)

    def _keep(self, keys: Sequence[bytes], vectors: np.ndarray) -> None:
        path = self.place / f"{self._prefix}{secrets.token_hex(8)}.npz"
        rows = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, HASH_BYTES)
        with whole_file(path) as partial:
            np.savez(partial, keys=rows, vectors=vectors)
        self._read.add(path)
        self._known |= dict(zip(keys, vectors, strict=True))


def _vectors_in(path: Path) -> dict[bytes, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            keys, vectors = file["keys"], file["vectors"]
        if vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise ValueError("holds no vectors")
        return {key.tobytes(): vector for key, vector in zip(keys, vectors, strict=True)}
    except DAMAGED as error:
        _log.warning("%s cannot be read (%s): its texts are encoded again", path.name, error)
        return {}


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()
