"""Vectors of texts and of questions by the proposing version's encoder. Torch is imported when something is encoded."""

import hashlib
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from annotate.embeddings.text_vectors import TextVectors
from annotate.finding.question import NotRanked
from annotate.proposing.encoder_versions import proposing_version
from db.tables import ModelVersion
from model.files import DamagedModel

QUESTIONS_KEPT = 256
MOST_KEPT = 20_000  # vectors of titles and MeSH terms kept in a process, 30 MB
# One encoder a process: a second one would cost as much memory again. The lock is for the threads of the app.
_lock = threading.Lock()
_loaded: dict[str, Any] = {}
_read_ahead: set[str] = set()
_questions: dict[tuple[str, str], np.ndarray] = {}
_short: dict[tuple[str, str], np.ndarray] = {}


class Encoder:
    """The encoder of a version, by default of the proposing one; its files are read when something is encoded."""

    def __init__(self, version: ModelVersion | None = None) -> None:
        self.version = version or proposing_version()

    @property
    def sha256(self) -> str:
        """The hash of its files: vectors of another encoder are not comparable."""
        return hashlib.sha256(repr(sorted(self.version.manifest.items())).encode()).hexdigest()

    def texts(self, texts: Sequence[str], progress: Callable[[int], None] = lambda done: None) -> np.ndarray:
        """Unit vectors of texts, float32[n, dimension]. Raises NotRanked where its files cannot be read."""
        with _lock:
            embedder = self._embedder()
        return np.asarray(embedder(list(texts), progress=progress), dtype=np.float32)

    def kept_in(self, place: Path) -> TextVectors:
        """Vectors of texts by this encoder that are kept below a folder."""
        return TextVectors(place / f"vectors-{self.sha256[:32]}", self.texts)

    def question(self, text: str) -> np.ndarray:
        """The unit vector of a question, float32[dimension]; those asked last are kept. Raises NotRanked."""
        key = (self.sha256, text)
        with _lock:
            if key not in _questions:
                while len(_questions) >= QUESTIONS_KEPT:
                    del _questions[next(iter(_questions))]
                _questions[key] = np.asarray(self._embedder()([], queries=[text])[0], dtype=np.float32)
            return _questions[key]

    @property
    def is_read_ahead(self) -> bool:
        """Whether its files are read in this process, or being read."""
        return self.sha256 in _read_ahead

    def read_ahead(self) -> None:
        """Reads its files in a thread of its own: the first question waits for them no longer."""
        _read_ahead.add(self.sha256)

        def read() -> None:
            with suppress(NotRanked):  # which the question itself tells
                self.question("ready")

        threading.Thread(target=read, daemon=True).start()

    def _embedder(self) -> Any:
        if self.sha256 not in _loaded:
            from annotate.proposing.embed import Embedder  # noqa: PLC0415 (torch takes seconds to import)

            embedder = Embedder(self.version)
            try:
                embedder(["ready"])  # the files are read now
            except (DamagedModel, OSError) as error:
                raise NotRanked(f"the encoder {self.version.name} cannot be read: {error}") from error
            _loaded.clear()
            _loaded[self.sha256] = embedder
        return _loaded[self.sha256]


def short_texts(texts: Sequence[str], encoder: Encoder) -> np.ndarray:
    """Unit vectors of titles and the like, float32[n, dimension], 0 of an empty one; those met lately are kept. Raises
    NotRanked where the encoder's files cannot be read."""
    own = encoder.sha256
    with _lock:
        found = {text: _short[own, text] for text in texts if (own, text) in _short}
    new = [text for text in dict.fromkeys(texts) if text and text not in found]
    if new:
        found |= dict(zip(new, encoder.texts(new), strict=True))
        with _lock:
            if len(_short) + len(new) > MOST_KEPT:
                _short.clear()
            _short.update({(own, text): found[text] for text in new})
    if not found:
        return np.zeros((len(texts), encoder.version.dimension), dtype=np.float32)
    nothing = np.zeros_like(next(iter(found.values())))
    return np.stack([found[text] if text else nothing for text in texts])
