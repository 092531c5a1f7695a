"""How much each reader counts: of a role's probability, and of the length of a function vector."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import numpy as np

from model.vectors import unit

_FILE = "shares.json"


@dataclass(frozen=True, slots=True)
class Shares:
    """Of a role's log probability the share that is the encoder's, from 0 to 1: in `abstracts`, and of `sentences` by
    themselves. The lengths of the parts of a function vector: role, words, encoder and place. `around`:
    how much the sentences before and behind count in the encoder's part, in abstracts."""

    abstracts: float = 0.0
    sentences: float = 0.0
    role: float = 1.5
    words: float = 1.0
    encoder: float = 0.0
    place: float = 0.0
    around: float = 0.0

    def save(self, folder: Path) -> None:
        """Writes its one file."""
        (folder / _FILE).write_text(json.dumps(asdict(self)))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads the shares from a model's folder."""
        return cls(**json.loads((folder / _FILE).read_text()))


WORDS_ONLY = Shares()


def mixed(words: np.ndarray, encoder: np.ndarray, share: float) -> np.ndarray:
    """Probabilities (n, 5) of two readers as one: by their logarithms' mean, of which `share` is the encoder's."""
    least = 1e-6  # a reader that is quite sure must not silence the other
    found = np.exp((1 - share) * np.log(words + least) + share * np.log(encoder + least))
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def placed(places: np.ndarray | None, count: int) -> np.ndarray:
    """Where sentences stand in their abstract, 0 its begin and 1 its end, as unit vectors (count, 2) whose cosine falls
    with the distance: between begin and end it is 0. Rows of zeros where a place is nan; all, where none is told."""
    if places is None:
        return np.zeros((count, 2), dtype=np.float32)
    angles = np.asarray(places) * np.pi / 2
    return np.asarray(np.nan_to_num(np.column_stack([np.cos(angles), np.sin(angles)])), dtype=np.float32)


def places_of(count: int) -> np.ndarray:
    """Where each sentence of an abstract stands, 0 its begin and 1 its end, shape (count,)."""
    return np.asarray(np.arange(count) / max(count - 1, 1))


def with_neighbours(rows: np.ndarray, places: np.ndarray | None, share: float) -> np.ndarray:
    """Unit vectors of sentences, shape (n, d), in which those before and behind them in their abstract count `share`.

    places: as of `placed`; sentences without a place stay as they are.
    """
    if places is None:
        return rows
    follows = np.flatnonzero(np.asarray(places)[1:] > np.asarray(places)[:-1])
    found = rows.copy()
    found[follows + 1] += share * rows[follows]
    found[follows] += share * rows[follows + 1]
    return np.asarray(unit(found))
