"""Says which names are meant: a linear chain (conditional random field, Lafferty 2001), trained by CRFsuite and read
here by its weights.

The features of a token depend mostly on single words, so their weights are summed once a word and place: a full text
is tagged in a fraction of the time that CRFsuite itself needs.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

import numpy as np
import pycrfsuite
from numpy.typing import NDArray

from model.entities.features import Group, Row, expanded, members
from model.files import sha256_of

OUTSIDE = "O"
# How many groups' sums a tagger keeps: when they are full, it starts again. 60,000 take some 12 MB.
MOST_GROUPS = 60_000
_FILES = ("features.txt", "weights.npy", "transitions.npy")


class BadTagger(RuntimeError):
    """The files of a tagger are not those that were written."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The settings of CRFsuite's L-BFGS: L1 and L2 penalties, rounds, how often a feature must be seen."""

    l1: float = 0.1
    l2: float = 0.1
    rounds: int = 80
    least_seen: int = 2


DEFAULT_CHAIN = Chain()


@dataclass(frozen=True, slots=True)
class Padded:
    """The scores of several sentences side by side, the longest first: tokens by sentences by labels. All are decoded
    in one walk over the tokens, of which `active` tells how many sentences reach each."""

    scores: NDArray[np.float64]
    active: tuple[int, ...]

    @classmethod
    def of(cls, parts: Sequence[NDArray[np.float64]]) -> Self:
        """Puts sentences, the longest first, side by side."""
        scores = np.zeros((len(parts[0]), len(parts), parts[0].shape[1]))
        for column, part in enumerate(parts):
            scores[: len(part), column] = part
        sizes = np.array([len(part) for part in parts])
        return cls(scores, tuple(int((sizes > at).sum()) for at in range(len(parts[0]))))

    def best(self, transitions: NDArray[np.float64]) -> NDArray[np.int64]:
        """The likeliest labels, tokens by sentences (Viterbi 1967)."""
        best = self.scores[0].copy()
        back = np.zeros(self.scores.shape, dtype=np.int64)
        for at, size in enumerate(self.active[1:], 1):
            through = best[:size, :, None] + transitions
            back[at, :size] = through.argmax(axis=1)
            best[:size] = through.max(axis=1) + self.scores[at, :size]
        paths = np.zeros(self.scores.shape[:2], dtype=np.int64)
        last = best.argmax(axis=1)
        reached = 0
        for at in range(len(self.active) - 1, -1, -1):
            size = self.active[at]
            if reached:
                paths[at, :reached] = back[at + 1, np.arange(reached), paths[at + 1, :reached]]
            paths[at, reached:size] = last[reached:size]
            reached = size
        return paths

    def inside(self, transitions: NDArray[np.float64], outside: int) -> NDArray[np.float64]:
        """The probability of each token to bear another label than `outside`, by forward and backward sums."""
        steps = np.exp(transitions)
        local = np.exp(self.scores - self.scores.max(axis=2, keepdims=True))
        forward, backward = np.ones_like(local), np.ones_like(local)
        forward[0] = local[0]
        for at, size in enumerate(self.active[1:], 1):
            step = (forward[at - 1, :size] @ steps) * local[at, :size]
            forward[at, :size] = step / step.sum(axis=1, keepdims=True)
        for at in range(len(self.active) - 2, -1, -1):
            size = self.active[at + 1]
            step = (local[at + 1, :size] * backward[at + 1, :size]) @ steps.T
            backward[at, :size] = step / step.sum(axis=1, keepdims=True)
        joint = forward * backward
        share: NDArray[np.float64] = joint[:, :, outside] / joint.sum(axis=2)
        return 1 - share


class Tagger:
    """The weights of one trained chain."""

    def __init__(
        self, labels: Sequence[str], features: Sequence[str], weights: NDArray[np.float32],
        transitions: NDArray[np.float64],
    ):  # fmt: skip
        self.labels = tuple(labels)
        self._features = tuple(features)
        self._weights = weights
        self._transitions = transitions
        self._outside = self.labels.index(OUTSIDE)
        self._forget()

    def _forget(self) -> None:
        """Row 0 of the sums is nothing, then come the features, then the groups that were met."""
        empty = np.zeros((1, len(self.labels)), dtype=np.float32)
        self._sums = np.concatenate([empty, self._weights, np.zeros((MOST_GROUPS, len(self.labels)), dtype=np.float32)])
        self._rows: dict[str | Group, int] = {feature: row for row, feature in enumerate(self._features, 1)}
        self._free = len(self._features) + 1

    def tag(self, sentences: Sequence[Sequence[Row]]) -> list[tuple[list[str], NDArray[np.float64]]]:
        """For each sentence of a document the likeliest label of each token, and its probability to be no OUTSIDE. The
        probabilities are 0 where the likeliest labels are all OUTSIDE."""
        scores = self._scores([row for sentence in sentences for row in sentence])
        ends = np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64)
        parts = np.split(scores, ends)[:-1]
        found = [([OUTSIDE] * len(part), np.zeros(len(part))) for part in parts]
        naming = [at for at, part in enumerate(parts) if len(part) and self._may_name(part)]
        naming.sort(key=lambda at: -len(parts[at]))
        if naming:
            padded = Padded.of([parts[at] for at in naming])
            paths, inside = padded.best(self._transitions), padded.inside(self._transitions, self._outside)
            for column, at in enumerate(naming):
                size = len(parts[at])
                labels = [self.labels[label] for label in paths[:size, column]]
                if any(label != OUTSIDE for label in labels):
                    found[at] = labels, inside[:size, column]
        return found

    def _scores(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        """The summed weights of each token, tokens by labels."""
        if len(self._rows) + 8 * len(rows) > len(self._features) + 4 * MOST_GROUPS or self._free >= len(self._sums):
            self._forget()
        places: list[int] = []
        begins: list[int] = []
        known = self._rows
        for row in rows:
            begins.append(len(places))
            places.append(0)
            for feature in row:
                place = known.get(feature)
                if place is None:
                    if isinstance(feature, str):
                        continue
                    place = self._learned(feature)
                if place:
                    places.append(place)
        if not rows:
            return np.zeros((0, len(self.labels)))
        return np.add.reduceat(self._sums[places], begins, axis=0).astype(np.float64)

    def _learned(self, group: Group) -> int:
        """The row of the sum of a group, made where it is met first; 0 where none of its features weighs anything."""
        inside = [row for feature in members(group) if (row := self._rows.get(feature)) is not None]
        place = 0
        if inside and self._free < len(self._sums):
            place = self._free
            self._sums[place] = self._sums[inside].sum(axis=0)
            self._free += 1
        self._rows[group] = place
        return place

    def _may_name(self, scores: NDArray[np.float64]) -> bool:
        """False where no token gains by another label than OUTSIDE, even with the best transitions around it."""
        steps = self._transitions
        outside = self._outside
        best_step = max(0.0, float(steps.max() - steps[outside, outside]))
        others = np.delete(scores, outside, axis=1).max(axis=1, initial=-np.inf)
        return bool(((others - scores[:, outside]) + 2 * best_step > 0).any())

    def save(self, folder: Path) -> None:
        """Writes the tagger into an empty folder, with the SHA-256 of each file."""
        (folder / "features.txt").write_text("\n".join(self._features))
        np.save(folder / "weights.npy", self._weights)
        np.save(folder / "transitions.npy", self._transitions)
        files = {name: sha256_of(folder / name) for name in _FILES}
        (folder / "tagger.json").write_text(json.dumps({"labels": self.labels, "files": files}))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads what `save` wrote. Raises BadTagger where a file is missing or another one than was written."""
        try:
            manifest = json.loads((folder / "tagger.json").read_text())
            for name in _FILES:
                if sha256_of(folder / name) != manifest["files"][name]:
                    raise BadTagger(f"{name} of {folder.name} is damaged")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadTagger(f"{folder.name} cannot be read: {error}") from error
        weights, transitions = (np.load(folder / name, allow_pickle=False) for name in _FILES[1:])
        return cls(manifest["labels"], (folder / "features.txt").read_text().split("\n"), weights, transitions)

    @classmethod
    def train(
        cls,
        sentences: Iterable[tuple[Sequence[Row], Sequence[str]]],
        chain: Chain = DEFAULT_CHAIN,
        progress: Callable[[int], None] = lambda done: None,
    ) -> Self:
        """A tagger of sentences as (features, labels); `progress` hears of each sentence that was taken in.

        Raises ValueError where no sentence bears a label other than OUTSIDE.
        """
        settings = {
            "c1": chain.l1, "c2": chain.l2, "max_iterations": chain.rounds, "feature.minfreq": chain.least_seen,
        }  # fmt: skip
        trainer = pycrfsuite.Trainer("lbfgs", settings, verbose=False)
        marked = False
        for done, (features, labels) in enumerate(sentences, 1):
            trainer.append([expanded(row) for row in features], labels)
            marked = marked or any(label != OUTSIDE for label in labels)
            progress(done)
        if not marked:
            raise ValueError("the corpora mark nothing that could be learned")
        with TemporaryDirectory() as scratch:
            path = Path(scratch) / "chain"
            trainer.train(str(path))
            return cls._of(path)

    @classmethod
    def _of(cls, path: Path) -> Self:
        reader = pycrfsuite.Tagger()
        reader.open(str(path))
        chain = reader.info()
        reader.close()
        labels = sorted(chain.labels)
        number = {label: place for place, label in enumerate(labels)}
        transitions = np.zeros((len(labels), len(labels)))
        for (one, other), weight in chain.transitions.items():
            transitions[number[one], number[other]] = weight
        features: dict[str, int] = {}
        cells: list[tuple[int, int, float]] = []
        for (feature, label), weight in chain.state_features.items():
            cells.append((features.setdefault(feature, len(features)), number[label], weight))
        weights = np.zeros((len(features), len(labels)), dtype=np.float32)
        for row, column, weight in cells:
            weights[row, column] = weight
        return cls(labels, list(features), weights, transitions)


def labels_of(
    words: Sequence[tuple[int, int]], marked: Iterable[tuple[int, int, str]], names: Mapping[str, str]
) -> list[str]:
    """A label a token, by its offsets: B- where a mention begins, I- within it, OUTSIDE elsewhere.

    `names` gives the label's name of each type of mention; other types are left out.
    """
    labels = [OUTSIDE] * len(words)
    for start, end, kind in sorted(marked):
        if kind in names:
            inside = [at for at, (begin, stop) in enumerate(words) if begin < end and stop > start]
            for place, at in enumerate(inside):
                labels[at] = f"{'I' if place else 'B'}-{names[kind]}"
    return labels


def spans_of(labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """(first token, token after the last, name) of each labelled run."""
    found: list[list[int | str]] = []
    before = OUTSIDE
    for at, label in enumerate(labels):
        if label != OUTSIDE:
            if label.startswith("I-") and before[2:] == label[2:]:
                found[-1][1] = at + 1
            else:
                found.append([at, at + 1, label[2:]])
        before = label
    return [(int(first), int(last), str(name)) for first, last, name in found]
