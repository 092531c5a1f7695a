"""Vectors of texts, each computed once an encoder: kept in the data folder by the encoder's files (which name its
prompts), where it cuts texts, the side, and the text. Imports torch."""

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sentence_transformers import SentenceTransformer

from annotate.encoders.sources import Source, files_sha256
from annotate.project.home import folder
from annotate.project.whole_files import whole_file
from annotate.proposing.encoders import SMOKE, load_source
from model.encoder import MAX_TOKENS, encode, save
from model.files import manifest_of, verify
from model.prompts import Side

CHUNK = 512  # texts: what a cancelled job loses at most
HASH_BYTES = 16
# Sentences of usual length, so that the speed of two encoders is that of the same work.
TIMED = 200
PASSES = 3
# For a project without so many sentences.
FALLBACK = SMOKE[:10] * (TIMED // 10)

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """What an encoder costs: numbers a vector, parameters, seconds for 1,000 sentences on this machine (the quickest of
    three passes), and the bytes of its weights in memory."""

    dimension: int
    parameters: int
    seconds_per_1000: float
    memory_bytes: int


class Vectors:
    """The vectors of one encoder. It is loaded when the first text is not yet known."""

    def __init__(self, source: Source, cancelled: Callable[[], bool] = lambda: False) -> None:
        self.source = source
        self._cancelled = cancelled
        self._encoder: SentenceTransformer | None = None
        self.sha256 = source.sha256 or self._sha256_of_fetched()
        self._kept: dict[tuple[Side, bytes], np.ndarray] = {}
        self._read: set[Path] = set()

    @property
    def encoder(self) -> SentenceTransformer:
        """The encoder itself, its files checked where it is a version. Raises OSError, DamagedModel."""
        if self._encoder is None:
            if self.source.manifest is not None:
                verify(Path(self.source.place), self.source.manifest)
            self._encoder = load_source(self.source.place)
        return self._encoder

    def _sha256_of_fetched(self) -> str:
        """That of the files which the encoder is written to: a hub id may mean others tomorrow."""
        with TemporaryDirectory(dir=folder("encoders")) as written:
            save(self.encoder, Path(written))
            return files_sha256(manifest_of(Path(written)))

    @property
    def place(self) -> Path:
        """The folder of what is kept of this encoder."""
        cut = "as-its-files-say" if self.source.manifest is not None else f"{MAX_TOKENS}-tokens"
        path = folder("encoders") / "vectors" / f"{self.sha256[:32]}-{cut}"
        path.mkdir(parents=True, exist_ok=True)
        return path

    def of(
        self, texts: Sequence[str], progress: Progress = lambda done, total: None, side: Side = Side.DOCUMENT
    ) -> np.ndarray:
        """Vectors of length 1, float32, shape (n, dimension). Stops between chunks where the job is to be cancelled:
        then raises StoppedEncoding, and what was encoded is kept."""
        self._read_new(side)
        keys = [(side, _key(text)) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._kept}
        done = len(keys) - len(missing)
        for chunk in _chunks(list(missing.items())):
            if self._cancelled():
                raise StoppedEncoding
            progress(done, len(keys))
            self._keep(side, [key for (_, key), _ in chunk], self._encoded([text for _, text in chunk], side))
            done += len(chunk)
        progress(len(keys), len(keys))
        return np.array([self._kept[key] for key in keys], dtype=np.float32)

    def _encoded(self, texts: Sequence[str], side: Side) -> np.ndarray:
        made = encode(self.encoder, [], queries=texts) if side is Side.QUERY else encode(self.encoder, texts)
        return made.astype(np.float16)

    def _read_new(self, side: Side) -> None:
        for path in sorted(self.place.glob(f"{side}-*.npz")):
            if path not in self._read:
                self._read.add(path)
                with np.load(path, allow_pickle=False) as kept:
                    keys, vectors = kept["keys"], kept["vectors"]
                self._kept |= {(side, key.tobytes()): vector for key, vector in zip(keys, vectors, strict=True)}

    def _keep(self, side: Side, keys: Sequence[bytes], vectors: np.ndarray) -> None:
        path = self.place / f"{side}-{secrets.token_hex(8)}.npz"
        with whole_file(path) as partial:
            np.savez(
                partial, keys=np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, HASH_BYTES), vectors=vectors
            )
        self._read.add(path)
        self._kept |= {(side, key): vector for key, vector in zip(keys, vectors, strict=True)}

    def cost(self, sentences: Sequence[str]) -> Cost:
        """What it costs, measured on the first of these sentences where there are enough."""
        return self._measured(sentences[:TIMED] if len(sentences) >= TIMED else FALLBACK)

    def _measured(self, sentences: Sequence[str]) -> Cost:
        weights = [*self.encoder.parameters(), *self.encoder.buffers()]
        seconds = []
        for _ in range(PASSES):
            begun = time.perf_counter()
            encode(self.encoder, sentences)
            seconds.append(time.perf_counter() - begun)
        return Cost(
            dimension=int(self.encoder.get_embedding_dimension() or 0),
            parameters=sum(weight.numel() for weight in self.encoder.parameters()),
            seconds_per_1000=round(min(seconds) * 1000 / max(1, len(sentences)), 3),
            memory_bytes=sum(weight.numel() * weight.element_size() for weight in weights),
        )


class StoppedEncoding(RuntimeError):
    """Encoding was stopped by a cancelled job."""


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


def _chunks(missing: list[tuple[tuple[Side, bytes], str]]) -> Iterator[list[tuple[tuple[Side, bytes], str]]]:
    """Of texts of like length: little is padded."""
    ordered = sorted(missing, key=lambda pair: len(pair[1]))
    for start in range(0, len(ordered), CHUNK):
        yield ordered[start : start + CHUNK]
