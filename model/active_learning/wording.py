"""Key sentences by their wording: a classifier for any topic, learnt from sentences that count and that do not.

Names are replaced by their shape, so that what is said of one gene is learnt for all. It needs no rule and no order
of sentences.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from model.active_learning.sentence_terms import near_names, runs_of
from model.active_learning.structure import structure_of
from model.evaluation.calibration import Platt, fit_platt

REGULARISATION = 10.0  # scikit-learn's C; 3 and 30 rank alike
FOLDS = 5
# The number of verdicts at which both rankers of a TaughtRanker count the same. On three topics 10 makes more rankings
# worse, and 50 gains less (docs/measurements/ranking.md).
EVEN = 20
# What each part weighs in one row, chosen by cross-validation on the open parts of two topics of curators.
MEANING = "meaning"
WEIGHTS = {"words": 1.0, "near names": 0.7, "letters": 0.7, MEANING: 0.7, "structure": 0.1}
MOST_WORDS = 3  # that tell why a sentence is ranked where it is
_TELLING = re.compile(r"[a-z'-]{3,}(?: [a-z'-]{2,})?")


@dataclass(frozen=True, eq=False)
class WordingRanker:
    """A fitted classifier: `parts` makes a row of each text, to which its vector is joined; `head` weighs the rows.

    `meaning`: whether it learnt from vectors, too. `platt` makes its log odds probabilities, None where it learnt too
    little to calibrate.
    """

    parts: FeatureUnion
    head: LogisticRegression
    meaning: bool = True
    platt: Platt | None = None

    def log_odds(self, texts: Sequence[str], vectors: np.ndarray) -> np.ndarray:
        """How likely each sentence is key, shape (n,), higher is likelier; key from 0 on. vectors: of the sentences,
        shape (n, dimension)."""
        if not len(texts):
            return np.zeros(0)
        return np.asarray(self.head.decision_function(_rows(self.parts, texts, vectors if self.meaning else None)))

    def probability(self, texts: Sequence[str], vectors: np.ndarray) -> np.ndarray | None:
        """Calibrated probabilities, shape (n,), or None."""
        return self.platt.probability(self.log_odds(texts, vectors)) if self.platt else None

    def telling_words(self, text: str, *, against: bool = False) -> list[str]:
        """The words and pairs of a sentence that speak most for it, or against it, the strongest first.

        At most MOST_WORDS, no two of which share a word; names and signs, which it knows by their shape, and words that
        say nothing by themselves are left out.
        """
        by_words = self.parts.transformer_list[0][1]
        points = by_words.transform([text]).toarray()[0] * self.head.coef_[0][: len(by_words.vocabulary_)]
        terms = by_words.get_feature_names_out()
        found: list[str] = []
        for place in np.argsort(points if against else -points, kind="stable"):
            if len(found) == MOST_WORDS or (points[place] >= 0 if against else points[place] <= 0):
                break
            term = terms[place]
            told = {*" ".join(found).split()}
            if _TELLING.fullmatch(term) and term not in ENGLISH_STOP_WORDS and not told & {*term.split()}:
                found.append(term)
        return found


@dataclass(frozen=True, eq=False)
class TaughtRanker:
    """What examples began and verdicts went on to teach: `begun` learnt from examples alone, `learnt` from both.

    The more verdicts, the more `learnt` counts, so that few of them make no ranking worse than it began.
    """

    begun: WordingRanker
    learnt: WordingRanker
    verdicts: int

    @property
    def share(self) -> float:
        """How much `learnt` counts, from 0 to 1."""
        return self.verdicts / (self.verdicts + EVEN)

    def log_odds(self, texts: Sequence[str], vectors: np.ndarray) -> np.ndarray:
        """How likely each sentence is key, as WordingRanker tells it."""
        begun, learnt = self.begun.log_odds(texts, vectors), self.learnt.log_odds(texts, vectors)
        return (1 - self.share) * begun + self.share * learnt

    def telling_words(self, text: str, *, against: bool = False) -> list[str]:
        """The words of a sentence that speak most for it, or against it, by the one that counts more."""
        counts_more = self.learnt if self.verdicts >= EVEN else self.begun
        return counts_more.telling_words(text, against=against)


def fit_wording(
    texts: Sequence[str],
    vectors: np.ndarray | None,
    truth: np.ndarray,
    articles: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> WordingRanker:
    """Learns from sentences, their vectors (n, dimension), labels 0 or 1 and the articles they are of, shape (n,).

    weights: how much each sentence counts, shape (n,); all the same by default. Without vectors it learns what words
    say alone. Calibrated by article, each by a classifier that learnt from the others; not calibrated without articles.
    ValueError where either label is missing.
    """
    if len({*truth.tolist()}) < 2:
        raise ValueError("there must be sentences that count and sentences that do not")
    found = _fitted(texts, vectors, truth, weights)
    if articles is None or vectors is None:
        return found
    return replace(found, platt=_calibration(texts, vectors, truth, articles))


def log_odds_by_others(
    texts: Sequence[str], vectors: np.ndarray, truth: np.ndarray, articles: np.ndarray
) -> np.ndarray:
    """The log odds of each sentence by a classifier that learnt from other articles, shape (n,); nan where these have
    one label alone."""
    held_out, folds = np.full(len(truth), np.nan), min(FOLDS, len({*articles.tolist()}))
    for train, test in GroupKFold(folds).split(vectors, groups=articles) if folds > 1 else ():
        if len({*truth[train].tolist()}) > 1:
            part = _fitted([texts[row] for row in train], vectors[train], truth[train])
            held_out[test] = part.log_odds([texts[row] for row in test], vectors[test])
    return held_out


def _calibration(texts: Sequence[str], vectors: np.ndarray, truth: np.ndarray, articles: np.ndarray) -> Platt | None:
    held_out = log_odds_by_others(texts, vectors, truth, articles)
    told = np.isfinite(held_out)
    return fit_platt(held_out[told], truth[told]) if len({*truth[told].tolist()}) > 1 else None


def _fitted(
    texts: Sequence[str], vectors: np.ndarray | None, truth: np.ndarray, weights: np.ndarray | None = None
) -> WordingRanker:
    parts = [
        ("words", TfidfVectorizer(analyzer=runs_of, sublinear_tf=True)),
        ("near names", TfidfVectorizer(analyzer=near_names, sublinear_tf=True)),
        ("letters", TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)),
        ("structure", make_pipeline(FunctionTransformer(structure_of), StandardScaler())),
    ]
    if not any(map(near_names, texts)):  # there is nothing to count
        del parts[1]
    union = FeatureUnion(parts, transformer_weights={name: WEIGHTS[name] for name, _ in parts}).fit(texts)
    head = LogisticRegression(C=REGULARISATION, class_weight="balanced", solver="liblinear")
    head.fit(_rows(union, texts, vectors), truth, sample_weight=weights)
    return WordingRanker(union, head, vectors is not None)


def _rows(parts: FeatureUnion, texts: Sequence[str], vectors: np.ndarray | None) -> Any:
    """The sparse rows of sentences, shape (n, columns): what their words say, then, with vectors, what they mean."""
    said = parts.transform(texts)
    return said if vectors is None else scipy.sparse.hstack([said, WEIGHTS[MEANING] * vectors], format="csr")
