"""Key sentences by their wording: one linear model, learnt from sentences that count and that do not.

Names are replaced by their shape, so that what is said of one gene is learnt for all. It needs no rule and no order
of sentences. Learning imports scikit-learn; ranking and explaining need numpy.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from model.active_learning.sentence_terms import terms_of
from model.active_learning.structure import STRUCTURE, structure_of
from model.evaluation.calibration import Platt, fit_platt

# scikit-learn's C times the root of the number of sentences: 30 for ten of them, .9 for 12,000. With 10 for all, what
# is learnt of whole articles ranks worse (docs/measurements/ranking.md).
REGULARISATION = 100.0
FOLDS = 5
# What each part weighs in one row, chosen by cross-validation on the open parts of two topics of curators.
TERMS_WEIGHT, STRUCTURE_WEIGHT, MEANING_WEIGHT = 1.5, 0.1, 0.7
MOST_TERMS = 3_000  # with the largest weights: all of them rank alike
MOST_WORDS = 3  # that tell why a sentence is ranked where it is
_TELLING = re.compile(r"[a-z'-]{3,}(?: [a-z'-]{2,})?")


@dataclass(frozen=True, eq=False)
class Wording:
    """The weights of terms, of how a sentence is built, shape (len(STRUCTURE),), and of its vector, shape (dimension,),
    None where it learnt only from words. Their sum is a log odds.

    `platt` makes the log odds probabilities, None where it learnt too little to calibrate. `by_length`: whether the
    terms of a long sentence count less each; in rankings that earlier releases stored they do not.
    """

    terms: Mapping[str, float]
    structure: np.ndarray
    meaning: np.ndarray | None = None
    intercept: float = 0.0
    platt: Platt | None = None
    by_length: bool = True

    def log_odds(self, texts: Sequence[str], vectors: np.ndarray | None = None) -> np.ndarray:
        """How likely each sentence is key, shape (n,), higher is likelier; key from 0 on. vectors: of the sentences,
        shape (n, dimension); without them what they mean counts nothing."""
        if not len(texts):
            return np.zeros(0)
        by_terms = np.array([sum(self.points(text).values()) for text in texts])
        return self._sum(by_terms, structure_of(texts), vectors)

    def log_odds_of(self, counted: "Counted") -> np.ndarray:
        """The same of counted sentences, among whose terms are all that it learnt."""
        weights = np.zeros(len(counted.names))
        weights[np.searchsorted(counted.names, np.array([*self.terms], dtype=object))] = [*self.terms.values()]
        return self._sum(counted.terms @ weights, counted.built, counted.vectors)

    def _sum(self, by_terms: np.ndarray, built: np.ndarray, vectors: np.ndarray | None) -> np.ndarray:
        found = by_terms + built @ self.structure + self.intercept
        return np.asarray(found if self.meaning is None or vectors is None else found + vectors @ self.meaning)

    def points(self, text: str) -> dict[str, float]:
        """What each known term of a sentence adds to its log odds."""
        found = terms_of(text)
        length = len(found) ** 0.5 if self.by_length else 1.0
        return {term: self.terms[term] / length for term in found if term in self.terms}

    def telling_words(self, text: str, *, against: bool = False) -> list[str]:
        """The words and pairs of a sentence that speak most for it, or against it, the strongest first.

        At most MOST_WORDS, no two of which share a word; names and signs, which it knows by their shape, and words that
        say nothing by themselves are left out.
        """
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415 (scikit-learn takes a second)

        points = {term: -given if against else given for term, given in self.points(text).items()}
        found: list[str] = []
        for term in sorted((term for term in points if points[term] > 0), key=lambda term: (-points[term], term)):
            taken = {*" ".join(found).split()}
            if _TELLING.fullmatch(term) and term not in ENGLISH_STOP_WORDS and not taken & {*term.split()}:
                found.append(term)
        return found[:MOST_WORDS]

    def mixed(self, other: "Wording", share: float) -> "Wording":
        """The one whose log odds are this one's and, by a share from 0 to 1, the other's; not calibrated."""
        named = {
            term: (1 - share) * self.terms.get(term, 0.0) + share * other.terms.get(term, 0.0)
            for term in self.terms.keys() | other.terms.keys()
        }
        structure, intercept = (
            (1 - share) * getattr(self, part) + share * getattr(other, part) for part in ("structure", "intercept")
        )
        meaning = None
        if self.meaning is not None and other.meaning is not None:
            meaning = (1 - share) * self.meaning + share * other.meaning
        return Wording(named, structure, meaning, intercept)

    def as_dict(self) -> dict[str, Any]:
        """JSON-able values of one that learnt only from words."""
        terms = {term: float(f"{weight:.4g}") for term, weight in self.terms.items()}
        structure = dict(zip(STRUCTURE, self.structure.tolist(), strict=True))
        return {"terms": terms, "structure": structure, "intercept": self.intercept}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "Wording":
        """The inverse; of how a sentence is built, what was not yet counted weighs nothing."""
        structure = np.array([stored["structure"].get(name, 0.0) for name in STRUCTURE])
        return cls(stored["terms"], structure, intercept=stored.get("intercept", 0.0))


def fit_wording(
    texts: Sequence[str],
    vectors: np.ndarray | None,
    truth: np.ndarray,
    articles: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> Wording:
    """Learns from sentences, their vectors (n, dimension), labels 0 or 1 and the articles they are of, shape (n,).

    weights: how much each sentence counts, shape (n,); all the same by default. Without vectors it learns from words
    only. Calibrated by article, each by one that learnt from the others; not calibrated without articles.
    ValueError where either label is missing.
    """
    if len({*truth.tolist()}) < 2:
        raise ValueError("there must be sentences that count and sentences that do not")
    counted = Counted.of(texts, vectors)
    found = counted.fitted(truth, weights)
    if articles is None or vectors is None:
        return found
    return calibrated(found, counted.held_out(truth, articles), truth)


def calibrated(found: Wording, unseen: np.ndarray, truth: np.ndarray) -> Wording:
    """The wording with probabilities calibrated on log odds and labels, each of shape (n,). Other wordings of its kind
    gave the log odds to unseen sentences, nan for a sentence that none ranked. Uncalibrated where either label is
    missing."""
    known = np.isfinite(unseen)
    return replace(found, platt=fit_platt(unseen[known], truth[known]) if len({*truth[known].tolist()}) > 1 else None)


def held_out(
    truth: np.ndarray, articles: np.ndarray, ranked: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """The log odds of each sentence by what other articles taught, shape (n,): of folds by article, `ranked` takes the
    rows that teach and the rows to rank. nan where all that teach have one label."""
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415 (scikit-learn takes a second to import)

    found, folds = np.full(len(truth), np.nan), min(FOLDS, len({*articles.tolist()}))
    for train, test in GroupKFold(folds).split(truth, groups=articles) if folds > 1 else ():
        if len({*truth[train].tolist()}) > 1:
            found[test] = ranked(train, test)
    return found


@dataclass(frozen=True, eq=False)
class Counted:
    """Sentences as a wording learns from them, counted once for all that learn from some of them.

    names: their terms in order, shape (t,). terms: which of these each has, rows of length 1, sparse, shape (n, t).
    built: how they are built, shape (n, len(STRUCTURE)). vectors: shape (n, dimension), or None.
    """

    names: np.ndarray
    terms: Any
    built: np.ndarray
    vectors: np.ndarray | None = None

    @classmethod
    def of(cls, texts: Sequence[str], vectors: np.ndarray | None = None) -> "Counted":
        """Counts the terms of sentences, one at least."""
        from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415 (scikit-learn takes a second)
        from sklearn.preprocessing import normalize  # noqa: PLC0415 (with it)

        counter = CountVectorizer(analyzer=terms_of, binary=True, dtype=np.float64)
        terms = normalize(counter.fit_transform(texts))
        return cls(counter.get_feature_names_out(), terms, structure_of(texts), vectors)

    def held_out(self, truth: np.ndarray, articles: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """The log odds of each sentence by one that learnt from other articles, shape (n,); nan where all others have
        one label. As `fit_wording` takes them: truth, articles and weights, shape (n,)."""

        def ranked(train: np.ndarray, test: np.ndarray) -> np.ndarray:
            taught = self.part(train).fitted(truth[train], None if weights is None else weights[train])
            return taught.log_odds_of(self.part(test))

        return held_out(truth, articles, ranked)

    def fitted(self, truth: np.ndarray, weights: np.ndarray | None = None) -> Wording:
        """What is learnt of them, not calibrated; arrays as `fit_wording` takes them."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (scikit-learn takes a second to import)

        means, scales = self.built.mean(axis=0), self.built.std(axis=0)
        scales[scales < 1e-9] = 1.0
        parts = [TERMS_WEIGHT * self.terms, STRUCTURE_WEIGHT * (self.built - means) / scales]
        if self.vectors is not None:
            parts.append(MEANING_WEIGHT * self.vectors)
        c = REGULARISATION / len(truth) ** 0.5  # the dual form takes half the work of the other
        head = LogisticRegression(
            C=c, class_weight="balanced", solver="liblinear", dual=True, max_iter=1_000, random_state=0
        )
        head.fit(scipy.sparse.hstack(parts, format="csr"), truth, sample_weight=weights)
        by_terms, by_structure, by_meaning = np.split(head.coef_[0], np.cumsum([len(self.names), len(STRUCTURE)]))
        structure = STRUCTURE_WEIGHT * by_structure / scales
        most = np.argsort(-abs(by_terms))[:MOST_TERMS]
        return Wording(
            {str(self.names[place]): TERMS_WEIGHT * by_terms[place] for place in most},
            structure,
            None if self.vectors is None else MEANING_WEIGHT * by_meaning,
            float(head.intercept_[0] - means @ structure),
        )

    def part(self, rows: np.ndarray) -> "Counted":
        """Some of them, by places or by a mask of shape (n,)."""
        vectors = None if self.vectors is None else self.vectors[rows]
        return Counted(self.names, self.terms[rows], self.built[rows], vectors)
