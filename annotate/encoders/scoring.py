"""One task, one encoder: from texts to predictions, and from these to sums by article. Needs no torch itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from annotate.encoders.tasks.task import TEST, TRAIN, Item, Items, Kind, Task
from model.evaluation.cues import cue_rows
from model.evaluation.frozen import Classifier, Labels, Views, learn, learn_in_folds, pair_features
from model.evaluation.metrics import r_precision
from model.evaluation.sums import MEASURES, unit_sums
from model.evaluation.words import overlap, word_cosines, word_rows
from model.prompts import Side

Report = Callable[[str, int, int], None]


class Encodes(Protocol):
    """What gives vectors of length 1, shape (n, dimension)."""

    def of(self, texts: Sequence[str], progress: Callable[[int, int], None] = ..., side: Side = ...) -> np.ndarray:
        """The features of these texts."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What a row of the table looks at: vectors, words, or both."""

    vectors: Encodes | None = None
    words: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Sums of each measure by unit, shape (units, k); what the commonest answer would reach; what was chosen."""

    sums: dict[str, np.ndarray]
    floor: dict[str, float]
    chosen: dict[str, Any]
    trained_on: int
    tested: int


def score(task: Task, items: Items, features: Features, kind: Classifier, report: Report) -> Scored:
    """Scores a task's items. Nothing is chosen on test items."""
    if task.kind is Kind.SIMILARITY:
        return _similarity(task, items, features, report)
    if task.kind is Kind.TRIPLET:
        return _triplets(task, items, features, report)
    if task.kind is Kind.RANKING:
        return _ranking(task, items, features, report)
    views = _Views(task, [*items.of(TRAIN), *items.of(TEST)], features, kind, report)
    with threadpool_limits(1):  # products so small gain nothing from a second core, and lose much on a busy machine
        return _classified(task, items, views, report)


def _sums(task: Task, truth: np.ndarray, guess: np.ndarray, items: Sequence[Item]) -> dict[str, np.ndarray]:
    units = [item.unit for item in items]
    return {name: unit_sums(MEASURES[name].statistics(truth, guess), units) for name in task.measures}


def _value(name: str, truth: np.ndarray, guess: np.ndarray) -> float:
    measure = MEASURES[name]
    return float(measure.value(measure.statistics(truth, guess).sum(axis=0)))


# --- Without anything learnt ---


def _cosines(pairs: Sequence[tuple[str, str]], features: Features, report: Report) -> np.ndarray:
    """Of the vectors, of the words, or the mean of both, shape (n,)."""
    found = []
    if features.vectors:
        one, other = _sides(features.vectors, pairs, report)
        found.append((one * other).sum(axis=1))
    if features.words:
        found.append(word_cosines(pairs))
    return np.asarray(np.mean(found, axis=0))


def _sides(vectors: Encodes, pairs: Sequence[Sequence[str]], report: Report) -> tuple[np.ndarray, np.ndarray]:
    both = vectors.of([pair[0] for pair in pairs] + [pair[1] for pair in pairs], partial(report, "encoding"))
    return both[: len(pairs)], both[len(pairs) :]


def _similarity(task: Task, items: Items, features: Features, report: Report) -> Scored:
    tested = items.of(TEST)
    truth = np.array([item.label for item in tested], dtype=float)
    cosines = _cosines([(item.texts[0], item.texts[1]) for item in tested], features, report)
    sums = _sums(task, truth, cosines, tested)
    return Scored(sums, dict.fromkeys(task.measures, 0.0), {}, 0, len(tested))


def _triplets(task: Task, items: Items, features: Features, report: Report) -> Scored:
    tested = items.of(TEST)
    pairs = [(item.texts[0], item.texts[place]) for place in (1, 2) for item in tested]
    cosines = _cosines(pairs, features, report)
    same, other = cosines[: len(tested)], cosines[len(tested) :]
    # Where both are alike to the first, it is a guess.
    guess = np.where(same == other, 0.5, same > other).astype(float)
    sums = {
        name: unit_sums(np.column_stack([guess, np.ones(len(guess))]), [i.unit for i in tested])
        for name in task.measures
    }
    return Scored(sums, dict.fromkeys(task.measures, 0.5), {}, 0, len(tested))


def _ranking(task: Task, items: Items, features: Features, report: Report) -> Scored:
    tested = items.of(TEST)
    scores = [np.zeros(len(item.label)) for item in tested]
    if features.vectors:
        queries = features.vectors.of([item.texts[0] for item in tested], side=Side.QUERY)
        vectors = features.vectors.of([text for item in tested for text in item.texts[1:]], partial(report, "encoding"))
        ends = np.cumsum([len(item.label) for item in tested])[:-1]
        for place, part in enumerate(np.split(vectors, ends)):
            scores[place] = scores[place] + part @ queries[place]
    if features.words:
        for place, item in enumerate(tested):
            scores[place] = scores[place] + np.array([overlap(item.texts[0], text)[0] for text in item.texts[1:]])
    found = [r_precision(item.label, one) or 0.0 for item, one in zip(tested, scores, strict=True)]
    by_chance = float(np.mean([np.mean(item.label) for item in tested]))
    sums = {"arp": np.column_stack([found, np.ones(len(found))])}
    return Scored(sums, {"arp": by_chance}, {}, 0, len(tested))


# --- With a classifier on top ---


def _classified(task: Task, items: Items, views: "_Views", report: Report) -> Scored:
    train, test = items.of(TRAIN), items.of(TEST)
    labels = _labels([*train, *test], several=task.kind is Kind.SEVERAL)

    def inner(truth: np.ndarray, guess: np.ndarray) -> float:
        return float(np.mean([_value(name, truth, guess) for name in task.measures]))

    learning = partial(report, "learning")
    learning(0, 0)
    numbers = np.arange(len(train) + len(test))
    if train:
        seen, tested = numbers[: len(train)], numbers[len(train) :]
        one, other = views.of(seen, tested)
        learnt = learn(one, labels.of(seen), other, inner)
    else:
        seen = tested = numbers  # each fold learns from the others
        learnt = learn_in_folds(views.of, labels, inner, learning)
    truth = labels.rows[tested]
    common = np.zeros_like(truth)
    common[:, int(truth.sum(axis=0).argmax())] = 1
    floor = {name: _value(name, truth, common) for name in task.measures}
    return Scored(_sums(task, truth, learnt.predictions, test), floor, learnt.chosen, len(seen), len(test))


def _labels(items: Sequence[Item], *, several: bool) -> Labels:
    """The classes in the order of their names."""
    given = [tuple(item.label) if several else (item.label,) for item in items]
    classes = {name: place for place, name in enumerate(sorted({name for names in given for name in names}))}
    rows = np.zeros((len(items), len(classes)), dtype=int)
    for row, names in zip(rows, given, strict=True):
        row[[classes[name] for name in names]] = 1
    return Labels(rows, np.array([item.unit for item in items]), several)


class _Views:
    """The views of items by their numbers: vectors and cues, and words as they occur in the training items."""

    def __init__(self, task: Task, items: Sequence[Item], features: Features, kind: Classifier, report: Report) -> None:
        self._texts = [item.texts for item in items]
        self._words, self._kind = features.words, kind
        self._dense: np.ndarray | None = None
        if features.vectors and task.kind is Kind.PAIR:
            self._dense = pair_features(*_sides(features.vectors, self._texts, report))
        elif features.vectors:
            self._dense = features.vectors.of([texts[0] for texts in self._texts], partial(report, "encoding"))
        self._cues: np.ndarray | None = None
        if features.words and all(item.about for item in items):
            self._cues = cue_rows([item.texts[0] for item in items], [item.about for item in items if item.about])

    def of(self, train: np.ndarray, test: np.ndarray) -> tuple[Views, Views]:
        """The views of the training and of the test items."""
        one: dict[Classifier, Any] = {}
        other: dict[Classifier, Any] = {}
        if self._dense is not None:
            one[self._kind], other[self._kind] = self._dense[train], self._dense[test]
        if self._words:
            rows = word_rows([self._texts[i] for i in train], [self._texts[i] for i in test])
            one[Classifier.WORDS], other[Classifier.WORDS] = rows
        if self._cues is not None:
            one[Classifier.CUES], other[Classifier.CUES] = self._cues[train], self._cues[test]
        return one, other
