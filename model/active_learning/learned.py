"""A ranking fitted on labelled articles: logistic regression over named features, its weights plain JSON.

Fitting imports scikit-learn when it is called; scoring and explaining need numpy alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from model.active_learning.features import FEATURES, features_of
from model.active_learning.taught import UNLABELLED_WEIGHT, Taught
from model.evaluation.metrics import r_precision
from model.labelled import UNLABELLED
from model.proposing.ranking import Pool, standardised

FOLDS = 5
INNER_FOLDS = 3  # in which the regularisation is chosen: it matters little, and this is where the time goes
REGULARISATIONS = (0.001, 0.01, 0.1)  # scikit-learn's C: less is more regularised
# The fixed hybrid is one more column while fitting, penalised this many times less than the others: weights that few
# labels do not contradict stay as they were. Its weight is folded into the features' weights afterwards.
PRIOR_SCALE = 10.0
# What the terms may add: on Evidence Inference .25 to 1 rank alike (docs/measurements/ranking.md).
TERMS_SHARE = 0.5
MOST_TERMS = 1_000  # that tell key sentences from others best; 500 and 6,000 rank alike
LEAST_SENTENCES = 3  # that a term stands in
TERMS_REGULARISATION = 0.03  # scikit-learn's C
TERMS = "words of accepted sentences"  # as the answer to "why?" calls them


@dataclass(frozen=True, eq=False)
class LearnedRanker:
    """Weights, means and scales of the features, each of shape (f,): their sum is a log odds. `terms` are the weights
    of the terms that tell key sentences from others, in log odds; the score has both."""

    weights: np.ndarray
    means: np.ndarray
    scales: np.ndarray
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
        return np.asarray((features - self.means) / self.scales @ self.weights + self.intercept)

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
        lifts = (article.rows[row] - article.rows.mean(axis=0)) / self.scales * self.weights
        by_terms = self.by_terms(article)
        named = dict(zip(FEATURES, lifts.tolist(), strict=True)) | {TERMS: float(by_terms[row] - by_terms.mean())}
        return grouped(named, {**groups, TERMS: TERMS})

    def as_dict(self) -> dict[str, Any]:
        """JSON-able values, weights by the name of the feature."""
        named = {
            name: dict(zip(FEATURES, getattr(self, name).tolist(), strict=True))
            for name in ("weights", "means", "scales")
        }
        return {**named, "intercept": self.intercept, "terms": dict(self.terms)}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "LearnedRanker":
        """The inverse. Raises ValueError where the features were others than today's."""
        if set(stored["weights"]) != set(FEATURES):
            other = sorted(set(stored["weights"]) ^ set(FEATURES))
            raise ValueError(f"fitted on other features than {len(FEATURES)} of today, differing in {', '.join(other)}")
        weights, means, scales = (
            np.array([stored[part][name] for name in FEATURES]) for part in ("weights", "means", "scales")
        )
        return cls(weights, means, scales, float(stored["intercept"]), stored.get("terms", {}))


def grouped(values: dict[str, float], groups: Mapping[str, str]) -> dict[str, float]:
    """Values by feature summed by group, largest first."""
    sums: dict[str, float] = {}
    for name, value in values.items():
        sums[groups[name]] = sums.get(groups[name], 0.0) + value
    return dict(sorted(sums.items(), key=lambda entry: -abs(entry[1])))


def fit_ranker(examples: Sequence[Taught], regularisation: float, hybrid: np.ndarray) -> LearnedRanker:
    """Logistic regression in which each article weighs the same; articles without a key sentence teach no order.

    hybrid: the fixed hybrid as weights of the features, shape (f,), as of `prior_of`.
    Raises ValueError where no article has both a key sentence and another.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (a second; the pages never fit)

    examples = [example for example in examples if 0 < example.truth.sum() < len(example.labels)]
    if not examples:
        raise ValueError("no article has both a key sentence and another")
    rows, truth = np.vstack([e.rows for e in examples]), np.concatenate([e.truth for e in examples])
    given = [np.where(example.labels == UNLABELLED, UNLABELLED_WEIGHT, 1.0) for example in examples]
    weights = np.concatenate([of_article / of_article.sum() for of_article in given]) * len(rows) / len(examples)
    means, scales = rows.mean(axis=0), rows.std(axis=0)
    scales[scales < 1e-9] = 1.0
    standard = (rows - means) / scales
    prior = hybrid * scales
    by_hybrid = standard @ prior
    factor = PRIOR_SCALE / max(by_hybrid.std(), 1e-9)
    model = LogisticRegression(C=regularisation, solver="newton-cholesky", max_iter=100)
    model.fit(np.column_stack([standard, by_hybrid * factor]), truth, sample_weight=weights)
    found = model.coef_[0]
    return LearnedRanker(found[:-1] + found[-1] * factor * prior, means, scales, float(model.intercept_[0]))


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


def choose_regularisation(examples: Sequence[Taught], hybrid: np.ndarray) -> float:
    """The regularisation whose rankings of held-out articles have the best ARP; the strongest of equals."""
    found = {c: arp_of(examples, _held_out(examples, c, hybrid, INNER_FOLDS)) for c in REGULARISATIONS}
    return max(found, key=lambda c: (found[c], -c))


def cross_validated(examples: Sequence[Taught], hybrid: np.ndarray) -> list[np.ndarray]:
    """Scores of each article, shape (n,), by a ranker of which neither the weights nor the regularisation have seen it:
    GroupKFold, nested."""
    return _held_out(examples, None, hybrid, FOLDS)


def _held_out(
    examples: Sequence[Taught], regularisation: float | None, hybrid: np.ndarray, folds: int
) -> list[np.ndarray]:
    """Scores of each article by a ranker fitted on the other folds, its regularisation chosen there where None."""
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415 (scikit-learn takes a second to import)

    numbers = np.arange(len(examples))
    scores: list[np.ndarray] = [np.zeros(0)] * len(examples)
    for train, test in GroupKFold(min(folds, len(examples))).split(numbers, groups=numbers):
        seen = [examples[i] for i in train]
        chosen = regularisation or choose_regularisation(seen, hybrid)
        ranker = fit_ranker(seen, chosen, hybrid)
        if regularisation is None:  # the choice of it asks for the features alone
            ranker = replace(ranker, terms=fit_terms(seen))
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
