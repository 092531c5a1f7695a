"""The learned ranking: what the light head learnt of labelled articles, and their terms, as plain JSON.

Fitting the terms imports scikit-learn; scoring and explaining need numpy alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from model.active_learning.features import FEATURES, features_of
from model.active_learning.head import first_head, rows_of, teach
from model.active_learning.taught import Taught
from model.evaluation.metrics import r_precision
from model.proposing.ranking import Pool, standardised

FOLDS = 5
# Of each weight before any label: with twenty articles or more it may leave the hybrid sooner than the head that learns
# from the first verdict on. On the open half of gene editing .01 to .05 rank alike, .005 lower
# (docs/measurements/ranking.md).
VARIANCE = 0.02
# What the terms may add: on Evidence Inference .25 to 1 rank alike (docs/measurements/ranking.md).
TERMS_SHARE = 0.5
MOST_TERMS = 1_000  # that tell key sentences from others best; 500 and 6,000 rank alike
LEAST_SENTENCES = 3  # that a term stands in
TERMS_REGULARISATION = 0.03  # scikit-learn's C
TERMS = "words of accepted sentences"  # as the answer to "why?" calls them


@dataclass(frozen=True, eq=False)
class LearnedRanker:
    """The weights of the features as they come, shape (f,): their sum is a log odds. `terms` are the weights of the
    terms that tell key sentences from others, in log odds; the score has both."""

    weights: np.ndarray
    intercept: float
    terms: Mapping[str, float] = field(default_factory=dict)

    def __call__(self, pool: Pool) -> np.ndarray:
        """The scores of an article's sentences, shape (n,), higher is likelier key."""
        return self.score_article(Taught(features_of(pool), np.zeros(len(pool.sentences)), pool.sentences))

    def score_article(self, article: Taught) -> np.ndarray:
        """The scores of an article's sentences, shape (n,)."""
        return np.asarray(self.score(article.rows) + self.by_terms(article))

    def score(self, features: np.ndarray) -> np.ndarray:
        """The scores by the features alone, shape (n, f) -> (n,)."""
        return np.asarray(features @ self.weights + self.intercept)

    def by_terms(self, article: Taught) -> np.ndarray:
        """What the terms add to each sentence, shape (n,): half the spread of the features' part; 0 without terms."""
        if not self.terms or not article.sentences:
            return np.zeros(len(article.rows))
        sums = np.array([sum(self.terms.get(term, 0.0) for term in found) for found in article.terms])
        return np.asarray(TERMS_SHARE * self.score(article.rows).std() * standardised(sums))

    def contributions(self, row: int, article: Taught, groups: Mapping[str, str]) -> dict[str, float]:
        """By how much each group of features and the terms lift one sentence over the article's mean sentence.

        Largest first. They sum to the sentence's score less the mean score of the article. groups: what each feature
        is called.
        """
        lifts = (article.rows[row] - article.rows.mean(axis=0)) * self.weights
        by_terms = self.by_terms(article)
        named = dict(zip(FEATURES, lifts.tolist(), strict=True)) | {TERMS: float(by_terms[row] - by_terms.mean())}
        return grouped(named, {**groups, TERMS: TERMS})

    def as_dict(self) -> dict[str, Any]:
        """JSON-able values, weights by the name of the feature."""
        weights = dict(zip(FEATURES, self.weights.tolist(), strict=True))
        return {"weights": weights, "intercept": self.intercept, "terms": dict(self.terms)}

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
        return cls(weights, intercept, stored.get("terms", {}))


def grouped(values: dict[str, float], groups: Mapping[str, str]) -> dict[str, float]:
    """Values by feature summed by group, largest first."""
    sums: dict[str, float] = {}
    for name, value in values.items():
        sums[groups[name]] = sums.get(groups[name], 0.0) + value
    return dict(sorted(sums.items(), key=lambda entry: -abs(entry[1])))


def fit_ranker(examples: Sequence[Taught], hybrid: np.ndarray) -> LearnedRanker:
    """What the light head learns of these articles, whose rows are features, from the fixed hybrid on; without terms.

    hybrid: that one as weights of the features, shape (f,), as of `prior_of`. Raises ValueError without an article.
    """
    if not examples:
        raise ValueError("there is no article to learn from")
    taught = [replace(example, rows=rows_of(example.rows, None)) for example in examples]
    learnt = teach(first_head(np.vstack([article.rows for article in taught]), hybrid, VARIANCE), taught).as_dict()
    return LearnedRanker(np.array([learnt["weights"][name] for name in FEATURES]), learnt["intercept"])


def fit_terms(examples: Sequence[Taught]) -> dict[str, float]:
    """The weights of the terms that tell the key sentences of these articles from the others; none without sentences.

    The MOST_TERMS best by chi squared, weighed by logistic regression on whether a sentence has them.
    """
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415 (a second; the pages never fit)
    from sklearn.feature_selection import SelectKBest, chi2  # noqa: PLC0415 (with it)
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (with it)

    examples = [example for example in examples if example.sentences]
    found = [terms for example in examples for terms in example.terms]
    truth = np.concatenate([example.truth for example in examples]) if examples else np.zeros(0)
    if len({*truth.tolist()}) < 2:
        return {}
    counted = Counter(term for terms in found for term in terms)
    usual = {term for term, sentences in counted.items() if sentences >= LEAST_SENTENCES}
    if not usual:
        return {}
    vectorizer = CountVectorizer(analyzer=usual.intersection, binary=True)
    rows = vectorizer.fit_transform(found)
    best = SelectKBest(chi2, k=min(MOST_TERMS, rows.shape[1])).fit(rows, truth)
    weights = np.concatenate([example.weights for example in examples])
    model = LogisticRegression(C=TERMS_REGULARISATION, class_weight="balanced", solver="liblinear")
    model.fit(best.transform(rows), truth, sample_weight=weights)
    names = vectorizer.get_feature_names_out()[best.get_support()]
    return {str(name): float(f"{weight:.4g}") for name, weight in zip(names, model.coef_[0], strict=True)}


def cross_validated(examples: Sequence[Taught], hybrid: np.ndarray) -> list[np.ndarray]:
    """Scores of each article, shape (n,), by a ranker that has learnt from the other folds: GroupKFold."""
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415 (scikit-learn takes a second to import)

    numbers = np.arange(len(examples))
    scores: list[np.ndarray] = [np.zeros(0)] * len(examples)
    for train, test in GroupKFold(min(FOLDS, len(examples))).split(numbers, groups=numbers):
        seen = [examples[i] for i in train]
        ranker = replace(fit_ranker(seen, hybrid), terms=fit_terms(seen))
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
