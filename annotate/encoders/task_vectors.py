"""Vectors of texts by any encoder, and what the encoder costs. Imports torch.

They are kept by the encoder's files (which name its prompts), where it cuts texts, the side, and the text.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sentence_transformers import SentenceTransformer

from annotate.embeddings.text_vectors import TextVectors
from annotate.encoders.sources import Source, files_sha256, with_cut
from annotate.project.home import folder
from annotate.proposing.encoders import SMOKE, cut_of, load_source, sound_encoder
from model.encoder import encode, save
from model.files import manifest_of, verify
from model.prompts import Side

# Sentences of usual length, so that the speed of two encoders is measured on the same work.
TIMED = 200
PASSES = 3
# For a project with fewer sentences.
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
    """The vectors of one encoder. It is loaded when the first text is not yet known.

    `sha256` names its files, with where its texts are cut if that is not left to them; `place` keeps its vectors.
    """

    def __init__(self, source: Source, cancelled: Callable[[], bool] = lambda: False) -> None:
        self.source = source
        self._cancelled = cancelled
        self._encoder: SentenceTransformer | None = None
        files, cut = source.sha256 or self._sha256_of_fetched(), cut_of(source.place)
        name = "as-its-files-say" if cut is None else f"{cut}-tokens"
        self.place = folder("encoders") / "vectors" / f"{files[:32]}-{name}"
        self.sha256 = files if cut is None else with_cut(files)
        self._kept: dict[Side, TextVectors] = {}

    @property
    def encoder(self) -> SentenceTransformer:
        """The encoder itself, as sound as a version. Raises OSError, DamagedModel, UnsoundEncoder."""
        if self._encoder is None:
            loaded = partial(load_source, self.source.place)
            if self.source.manifest is None:
                self._encoder = sound_encoder(loaded, self.source.place)
            else:
                verify(Path(self.source.place), self.source.manifest)
                self._encoder = loaded()
        return self._encoder

    def _sha256_of_fetched(self) -> str:
        """The SHA-256 of the files to which the encoder is written: a hub id may mean others tomorrow."""
        with TemporaryDirectory(dir=folder("encoders")) as written:
            save(self.encoder, Path(written))
            return files_sha256(manifest_of(Path(written)))

    def of(
        self, texts: Sequence[str], progress: Progress = lambda done, total: None, side: Side = Side.DOCUMENT
    ) -> np.ndarray:
        """Vectors of length 1, float32, shape (n, dimension). Raises StoppedEncoding where the job is cancelled."""
        if side not in self._kept:
            self._kept[side] = TextVectors(self.place, partial(self._encoded, side), f"{side}-")
        return self._kept[side].of(texts, progress, self._cancelled)

    def _encoded(self, side: Side, texts: Sequence[str]) -> np.ndarray:
        return encode(self.encoder, [], queries=texts) if side is Side.QUERY else encode(self.encoder, texts)

    def cost(self, sentences: Sequence[str]) -> Cost:
        """The cost of the encoder, measured on the first of these sentences if they suffice, else on FALLBACK."""
        timed = sentences[:TIMED] if len(sentences) >= TIMED else FALLBACK
        weights = [*self.encoder.parameters(), *self.encoder.buffers()]
        seconds = []
        for _ in range(PASSES):
            started = time.perf_counter()
            encode(self.encoder, timed)
            seconds.append(time.perf_counter() - started)
        return Cost(
            dimension=int(self.encoder.get_embedding_dimension() or 0),
            parameters=sum(weight.numel() for weight in self.encoder.parameters()),
            seconds_per_1000=round(min(seconds) * 1000 / len(timed), 3),
            memory_bytes=sum(weight.numel() * weight.element_size() for weight in weights),
        )
