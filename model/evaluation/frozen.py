"""How much frozen features tell: a small classifier on top, chosen by cross-validation within the training part.

In: features and labels as arrays. Out: predictions. scikit-learn is imported by the functions that need it.
Source: MedSentEval (Journal of Biomedical Informatics 2020): logistic regression, or one hidden layer of 50 units.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

HIDDEN_UNITS, BATCH = 50, 64  # of the reference method
INNER_FOLDS, OUTER_FOLDS = 3, 10
# Vectors have length 1, so that their numbers are small and the penalty must be, too.
PENALTIES = {"logistic": (1.0, 10.0, 100.0), "words": (0.03, 0.1, 0.3)}
WEIGHTS = (None, "balanced")
DECAYS = (1e-4, 1e-3)
PASSES = 40  # over the training items, whether the loss still falls or not
# The vectors' share of all features, and the cues' share of cues and words.
SHARES = (0.2, 0.35, 0.5)
CUE_SHARES = (0.35, 0.5, 0.65, 0.8)
# Trees on cues: tried so on five folds by article of the training part of citation sentiment, and not chosen again.
TREES = {"max_iter": 100, "learning_rate": 0.07, "max_leaf_nodes": 15, "min_samples_leaf": 15, "l2_regularization": 1.0}
EVEN = 0.5
SEED = 0

# Rows (n, features), dense or sparse.
Rows = Any
Score = Callable[[np.ndarray, np.ndarray], float]


class Classifier(StrEnum):
    """What learns on top of features: the first two on vectors, one on words, one on cues."""

    LOGISTIC = "logistic"
    NETWORK = "network"
    WORDS = "words"
    CUES = "cues"


ON_VECTORS = (Classifier.LOGISTIC, Classifier.NETWORK)


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Rows of 0 and 1, (n, classes); the unit of each, which no fold divides; whether a row may have several."""

    rows: np.ndarray
    units: np.ndarray
    several: bool = False

    def of(self, chosen: np.ndarray) -> "Labels":
        """The labels of the chosen items."""
        return Labels(self.rows[chosen], self.units[chosen], self.several)

    def decided(self, probabilities: np.ndarray) -> np.ndarray:
        """The likeliest class of each row or, of several, all that are likelier than not: shape (n, classes)."""
        if self.several:
            return (probabilities > EVEN).astype(int)
        return np.asarray(np.eye(self.rows.shape[1], dtype=int)[probabilities.argmax(axis=1)])


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """Predictions as rows of 0 and 1, shape (n, classes), and the settings that were chosen."""

    predictions: np.ndarray
    chosen: dict[str, Any]


# What is known of items, by the classifier that takes it: vectors, words, cues, or several of them.
Views = Mapping[Classifier, Rows]
Shares = Mapping[Classifier, float]


def pair_features(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(u, v, |u - v|, u * v) of two texts' vectors of shape (n, d): shape (n, 4 d). Source: Conneau et al. 2017."""
    return np.concatenate([one, other, np.abs(one - other), one * other], axis=1)


def learn(train: Views, labels: Labels, test: Views, score: Score) -> Learnt:
    """Predictions for `test` of the classifiers whose settings score best in a cross-validation of `train`.

    Of several views the probabilities are mixed, in the shares that score best in the same cross-validation. Raises
    ValueError where there are fewer units than folds.
    """
    folds = list(_folds(labels, INNER_FOLDS))
    inner, outer, chosen = {}, {}, {}
    for kind, rows in train.items():
        setting, inner[kind] = _best(kind, rows, labels, folds, score)
        outer[kind] = _probabilities(kind, setting, rows, labels, test[kind])
        chosen[str(kind)] = setting
    if len(train) == 1:
        (probabilities,) = outer.values()
        return Learnt(labels.decided(probabilities), chosen)
    seen = np.concatenate([tested for _, tested in folds])

    def reached(shares: Shares) -> float:
        return score(labels.rows[seen], labels.decided(_mixed(inner, shares)[seen]))

    shares = max(_shares(list(train)), key=reached)
    return Learnt(labels.decided(_mixed(outer, shares)), chosen | {"shares": {str(k): v for k, v in shares.items()}})


def _shares(kinds: Sequence[Classifier]) -> Iterator[Shares]:
    """The mixtures that are tried of two or three views."""
    vectors = [kind for kind in kinds if kind in ON_VECTORS]
    others = [kind for kind in kinds if kind not in ON_VECTORS]
    of_cues = CUE_SHARES if Classifier.CUES in kinds and Classifier.WORDS in kinds else (1.0,)
    for of_vectors, cues in product(SHARES if vectors else (0.0,), of_cues):
        rest = dict(zip(reversed(others), (cues, 1 - cues), strict=False))
        yield dict.fromkeys(vectors, of_vectors) | {kind: (1 - of_vectors) * part for kind, part in rest.items()}


def _mixed(found: Mapping[Classifier, np.ndarray], shares: Shares) -> np.ndarray:
    return np.asarray(sum(share * found[kind] for kind, share in shares.items()))


def learn_in_folds(
    views: Callable[[np.ndarray, np.ndarray], tuple[Views, Views]],
    labels: Labels,
    score: Score,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Learnt:
    """Nested cross-validation: each of ten folds is predicted by what was chosen and fitted on the other nine.

    `views` gives what is known of the training and of the test items by their numbers.
    """
    predictions, chosen = np.zeros_like(labels.rows), []
    for number, (train, test) in enumerate(_folds(labels, OUTER_FOLDS)):
        report(number, OUTER_FOLDS)
        one, other = views(train, test)
        found = learn(one, labels.of(train), other, score)
        predictions[test] = found.predictions
        chosen.append(found.chosen)
    return Learnt(predictions, {"folds": chosen})


def _best(
    kind: Classifier, rows: Rows, labels: Labels, folds: Sequence[tuple[np.ndarray, np.ndarray]], score: Score
) -> tuple[dict[str, Any], np.ndarray]:
    """The setting that scores best over the folds, and the probabilities that it gave what it had not seen."""
    found: list[tuple[float, dict[str, Any], np.ndarray]] = []
    settings: list[dict[str, Any]] = [{}]  # of cues
    if kind is Classifier.NETWORK:
        settings = [{"decay": decay} for decay in DECAYS]
    elif kind is not Classifier.CUES:
        settings = [{"C": penalty, "weights": weights} for penalty, weights in product(PENALTIES[kind], WEIGHTS)]
    for setting in settings:
        guess = np.zeros(labels.rows.shape)
        for train, test in folds:
            guess[test] = _probabilities(kind, setting, rows[train], labels.of(train), rows[test])
        value = score(labels.rows, labels.decided(guess))
        found.append((value, setting | {"inner_score": round(value, 4)}, guess))
    _, setting, guess = max(found, key=lambda each: each[0])
    return setting, guess


def _folds(labels: Labels, count: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Folds of whole units with all classes alike in each, where every item has one class."""
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold  # noqa: PLC0415 (scikit-learn takes a second)

    units = len(set(labels.units))
    if units < count:
        raise ValueError(f"{units} articles or items to learn from; {count} folds need as many at least")
    kind = GroupKFold if labels.several else StratifiedGroupKFold
    folds = kind(count, shuffle=True, random_state=SEED)
    yield from folds.split(labels.rows, labels.rows.argmax(axis=1), labels.units)


def _probabilities(kind: Classifier, setting: Mapping[str, Any], train: Rows, labels: Labels, test: Rows) -> np.ndarray:
    """Of each class, shape (n, classes); a row need not sum to 1."""
    if labels.several or kind is Classifier.WORDS:
        columns = [_of_one_class(kind, setting, train, column, test) for column in labels.rows.T]
        return np.column_stack(columns)
    classes = labels.rows.argmax(axis=1)
    result = np.zeros((test.shape[0], labels.rows.shape[1]))
    present = np.unique(classes)
    if len(present) == 1:
        result[:, present] = 1
    else:
        result[:, present] = _fitted(kind, setting, train, classes).predict_proba(test)
    return result


def _of_one_class(
    kind: Classifier, setting: Mapping[str, Any], train: Rows, truth: np.ndarray, test: Rows
) -> np.ndarray:
    """The probability of a class against the others."""
    if len(set(truth.tolist())) == 1:
        return np.full(test.shape[0], float(truth[0]))
    if kind is Classifier.WORDS:
        ratios = log_count_ratios(train, truth > 0)
        train, test = train.multiply(ratios).tocsr(), test.multiply(ratios).tocsr()
    return np.asarray(_fitted(kind, setting, train, truth).predict_proba(test)[:, 1])


def log_count_ratios(rows: Any, positive: np.ndarray) -> np.ndarray:
    """How much likelier each feature is in positive rows, as a logarithm, shape (features,); counts begin at 1.

    Source: Wang and Manning 2012 (naive Bayes features below a linear classifier).
    """
    one, other = (1 + np.asarray(rows[which].sum(axis=0)).ravel() for which in (positive, ~positive))
    return np.asarray(np.log((one / one.sum()) / (other / other.sum())))


def _fitted(kind: Classifier, setting: Mapping[str, Any], train: Rows, truth: np.ndarray) -> Any:
    if kind is Classifier.CUES:
        from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 (scikit-learn takes a second)

        _, places, counts = np.unique(truth, return_inverse=True, return_counts=True)
        weights = np.sqrt(len(truth) / counts)[places]  # a rare class weighs by the root of how rare it is
        return HistGradientBoostingClassifier(**TREES, random_state=SEED).fit(train, truth, sample_weight=weights)
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 (scikit-learn takes a second)
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (scikit-learn takes a second)
    from sklearn.neural_network import MLPClassifier  # noqa: PLC0415 (scikit-learn takes a second)

    if kind is Classifier.NETWORK:
        made: Any = MLPClassifier(
            (HIDDEN_UNITS,), activation="logistic", solver="adam", batch_size=min(BATCH, len(truth)),
            alpha=setting["decay"], learning_rate_init=0.01, max_iter=PASSES, random_state=SEED,
        )  # fmt: skip
    else:
        solver = "liblinear" if kind is Classifier.WORDS else "lbfgs"
        made = LogisticRegression(
            solver=solver, C=setting["C"], class_weight=setting["weights"], max_iter=500, tol=1e-3
        )
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)
        return made.fit(train, truth)
