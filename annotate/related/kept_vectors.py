"""Vectors of texts, each computed once an encoder: kept in the data folder by the encoder's files and the text."""

import hashlib
import logging
import secrets
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from annotate.finding.encoding import Encoder
from annotate.project.home import folder
from annotate.project.whole_files import whole_file

CHUNK = 2_048  # texts: what a kill costs, some half a minute on two cores that nobody else uses
HASH_BYTES = 16
# What numpy raises for an archive that a full disk or a bad sector has damaged.
DAMAGED = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)

Key = TypeVar("Key")
_log = logging.getLogger(__name__)


class KeptVectors:
    """The vectors of one encoder. They are whole files of a chunk each: what was computed stays when it is killed."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._place = folder("related") / f"vectors-{encoder.sha256[:32]}"
        self._place.mkdir(exist_ok=True)

    def of(self, texts: Sequence[str], progress: Callable[[int, int], None] = lambda done, total: None) -> np.ndarray:
        """Unit vectors, float32[texts, dimension]. Raises NotRanked where the encoder cannot be read."""
        keys = [_key(text) for text in texts]
        known = self._read()
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        waiting = sorted(missing, key=lambda key: len(missing[key]))  # of like length: little is padded
        total = len(waiting)
        for start in range(0, total, CHUNK):
            progress(start, total)
            chunk = waiting[start : start + CHUNK]
            vectors = self._encoder.texts([missing[key] for key in chunk]).astype(np.float16)
            self._write(chunk, vectors)
            known |= dict(zip(chunk, vectors, strict=True))
        progress(total, total)
        return np.array([known[key] for key in keys], dtype=np.float32)

    def _read(self) -> dict[bytes, np.ndarray]:
        found: dict[bytes, np.ndarray] = {}
        for path in sorted(self._place.glob("[!.]*.npz")):  # one with a dot is being written, or was when killed
            found |= read_vectors(path, "keys", lambda key: bytes(key.tobytes()))
        return found

    def _write(self, keys: Sequence[bytes], vectors: np.ndarray) -> None:
        told = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, HASH_BYTES)
        with whole_file(self._place / f"{secrets.token_hex(8)}.npz") as partial:
            np.savez(partial, keys=told, vectors=vectors)


def read_vectors(path: Path, name: str, key_of: Callable[[np.ndarray], Key]) -> dict[Key, np.ndarray]:
    """The vectors of a file by key; of one that is damaged none, which a warning says: they are computed anew."""
    try:
        with np.load(path, allow_pickle=False) as file:
            keys, vectors = file[name], file["vectors"]
        if vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise ValueError("holds what are no vectors")
        return {key_of(key): vector for key, vector in zip(keys, vectors, strict=True)}
    except DAMAGED as error:
        _log.warning("%s cannot be read (%s): its vectors are computed anew", path.name, error)
        return {}


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()
