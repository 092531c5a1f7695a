"""The learned ranking: what the light head learnt of labelled articles, and their wording, as plain JSON.

Fitting the wording imports scikit-learn; scoring and explaining do not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from model.active_learning.features import FEATURES, features_of
from model.active_learning.head import first_head
from model.active_learning.structure import STRUCTURE
from model.active_learning.taught import Taught
from model.active_learning.wording import Counted, Wording
from model.evaluation.metrics import r_precision
from model.proposing.ranking import Pool, standardised

FOLDS = 5
# Of each weight before any label: with twenty articles or more it may leave the hybrid sooner than the head that learns
# from the first verdict on. On the open half of gene editing .01 to .05 rank alike, .005 lower
# (docs/measurements/ranking.md).
VARIANCE = 0.02
EARLIER_SHARE = 0.5  # of the features' spread: what the wording adds in rankings that earlier releases stored
WORDS = "words of accepted sentences"  # as the answer to "why?" calls what the wording adds


@dataclass(frozen=True, eq=False)
class LearnedRanker:
    """The weights of the features as they come, shape (f,): their sum is a log odds. `wording` tells key sentences from
    others by their words, None where it learnt from no sentence. `words` is the weight of its log odds, at least 0;
    None in what earlier releases stored."""

    weights: np.ndarray
    intercept: float
    wording: Wording | None = None
    words: float | None = None

    def __call__(self, pool: Pool) -> np.ndarray:
        """The scores of an article's sentences, shape (n,), higher is likelier key."""
        return self.score_article(Taught(features_of(pool), np.zeros(len(pool.sentences)), pool.sentences))

    def score_article(self, article: Taught) -> np.ndarray:
        """The scores of an article's sentences, shape (n,)."""
        return np.asarray(self.score(article.rows) + self.by_wording(article))

    def score(self, features: np.ndarray) -> np.ndarray:
        """The scores by the features, without words, shape (n, f) -> (n,)."""
        return np.asarray(features @ self.weights + self.intercept)

    def by_wording(self, article: Taught) -> np.ndarray:
        """What the wording adds to each sentence, shape (n,)."""
        if self.wording is None or not article.sentences:
            return np.zeros(len(article.rows))
        log_odds = self.wording.log_odds(article.sentences)
        if self.words is not None:
            return self.words * log_odds
        return np.asarray(EARLIER_SHARE * self.score(article.rows).std() * standardised(log_odds))

    def weighed(self, article: Taught) -> np.ndarray:
        """What each feature, and last the wording, add to the scores of an article's sentences, shape (n, f + 1)."""
        return np.column_stack([article.rows * self.weights, self.by_wording(article)])

    def as_dict(self) -> dict[str, Any]:
        """JSON-able values, weights by the name of the feature."""
        weights = dict(zip(FEATURES, self.weights.tolist(), strict=True))
        wording = {"wording": self.wording.as_dict(), "words": self.words} if self.wording else {}
        return {"weights": weights, "intercept": self.intercept, **wording}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "LearnedRanker":
        """The inverse. Raises ValueError where the features were others than today's."""
        if set(stored["weights"]) != set(FEATURES):
            other = sorted(set(stored["weights"]) ^ set(FEATURES))
            raise ValueError(f"fitted on other features than {len(FEATURES)} of today, differing in {', '.join(other)}")
        weights, intercept = np.array([stored["weights"][name] for name in FEATURES]), float(stored["intercept"])
        if "scales" in stored:  # as it was stored before: weights of standardised features
            means, scales = (np.array([stored[part][name] for name in FEATURES]) for part in ("means", "scales"))
            weights = weights / scales
            intercept -= float(means @ weights)
        return cls(weights, intercept, _wording_of(stored), stored.get("words"))


def _wording_of(stored: dict[str, Any]) -> Wording | None:
    if stored.get("terms"):  # as it was stored before: whether a sentence has them
        return Wording(stored["terms"], np.zeros(len(STRUCTURE)), by_length=False)
    return Wording.from_dict(stored["wording"]) if "wording" in stored else None


def grouped(values: dict[str, float], groups: Mapping[str, str]) -> dict[str, float]:
    """Values by feature summed by group, largest first."""
    sums: dict[str, float] = {}
    for name, value in values.items():
        sums[groups[name]] = sums.get(groups[name], 0.0) + value
    return dict(sorted(sums.items(), key=lambda entry: -abs(entry[1])))


def fit_ranker(examples: Sequence[Taught], hybrid: np.ndarray, counted: Counted | None = None) -> LearnedRanker:
    """What is learnt of these articles, whose rows are features: by the light head from the fixed hybrid on.

    What words say is one more column. Of each article it is told by the others, so that it weighs what it is worth for
    unseen ones. hybrid: as weights of the features, shape (f,), as of `prior_of`. counted: the sentences of these
    articles, in their order, where they were counted already. Raises ValueError without an article.
    """
    if not examples:
        raise ValueError("there is no article to learn from")
    truth, counts = (np.concatenate([getattr(example, name) for example in examples]) for name in ("truth", "weights"))
    articles, worded = (
        np.repeat(per_example, [len(example.rows) for example in examples])
        for per_example in (np.arange(len(examples)), [bool(example.sentences) for example in examples])
    )
    wording, wording_scores = None, np.zeros(len(truth))
    if len({*truth[worded].tolist()}) > 1:
        counted = counted or _counted(examples)
        wording = counted.fitted(truth[worded], counts[worded])
        wording_scores[worded] = np.nan_to_num(counted.held_out(truth[worded], articles[worded], counts[worded]))
    rows = np.column_stack([np.vstack([example.rows for example in examples]), wording_scores])
    weights, intercept = first_head(rows, hybrid, VARIANCE).learn(rows, truth, counts).weights()
    return LearnedRanker(weights[:-1], intercept, wording, max(0.0, float(weights[-1])))


def _counted(examples: Sequence[Taught]) -> Counted:
    return Counted.of([text for example in examples for text in example.sentences])


def cross_validated(examples: Sequence[Taught], hybrid: np.ndarray) -> list[np.ndarray]:
    """Scores of each article, shape (n,), by a ranker that has learnt from the other folds: GroupKFold."""
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415 (scikit-learn takes a second to import)

    numbers = np.arange(len(examples))
    counted = _counted(examples) if any(example.sentences for example in examples) else None
    article_of = np.repeat(numbers, [len(example.sentences) for example in examples])
    scores: list[np.ndarray] = [np.zeros(0)] * len(examples)
    for train, test in GroupKFold(min(FOLDS, len(examples))).split(numbers, groups=numbers):
        seen = counted.part(np.isin(article_of, train)) if counted else None
        ranker = fit_ranker([examples[i] for i in train], hybrid, seen)
        for i in test:
            scores[i] = ranker.score_article(examples[i])
    return scores


def arp_of(examples: Sequence[Taught], scores: Sequence[np.ndarray]) -> float:
    """ARP of scores of these articles, 0 to 1; 0 where no article has a key sentence."""
    values = r_precisions(examples, scores)
    return float(np.mean(values)) if values else 0.0


def r_precisions(examples: Sequence[Taught], scores: Sequence[np.ndarray]) -> list[float]:
    """R-precision of each article that has a key sentence, in their order."""
    found = (r_precision(e.truth, s) for e, s in zip(examples, scores, strict=True))
    return [value for value in found if value is not None]
