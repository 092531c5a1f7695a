"""The first of two looks at a role: the words of one sentence, by linear support vector machines."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.svm import LinearSVC

from model.sentence_roles import ROLES
from model.sentence_words import terms_of
from model.word_weights import kept_columns, weighed

LEAST_SEEN = 3  # sentences in which a term must stand
MARGIN = 0.25  # scikit-learn's C, chosen on the validation parts
FOLDS = 4


class CountedTerms:
    """The terms of sentences, counted once, and weighed by the sentences that may be looked at."""

    def __init__(self, sentences: Sequence[str]) -> None:
        counter = CountVectorizer(analyzer=terms_of, dtype=np.float32)
        self._counts = counter.fit_transform(sentences)
        self._terms = counter.get_feature_names_out()

    def kept(self) -> tuple[list[str], np.ndarray]:
        """The terms that stand in enough of all sentences, and their inverse document frequencies."""
        columns, idf = kept_columns(self._counts, LEAST_SEEN)
        return self._terms[columns].tolist(), idf

    def weighed_by(self, seen: np.ndarray) -> Any:
        """TF-IDF of all sentences, rows of unit length, sparse, by the terms of the `seen` ones, bool[n], alone."""
        columns, idf = kept_columns(self._counts[seen], LEAST_SEEN)
        return weighed(self._counts, columns, idf.astype(np.float32))


class TextScorer:
    """Weights of terms by role. Its files: the terms, and one array (terms + 1, 6): weights and idf; the intercepts."""

    def __init__(self, terms: Sequence[str], weights: np.ndarray) -> None:
        self.terms = list(terms)
        self.weights = weights.astype(np.float32)
        places = {term: place for place, term in enumerate(self.terms)}
        self._vectorizer = TfidfVectorizer(analyzer=terms_of, vocabulary=places, sublinear_tf=True, dtype=np.float32)
        self._vectorizer.idf_ = self.weights[:-1, -1]

    def __call__(self, sentences: Sequence[str]) -> np.ndarray:
        """Signed distances from each role's margin, shape (n, 5), float32."""
        if not len(sentences):
            return np.zeros((0, len(ROLES)), dtype=np.float32)
        scores = self.features(sentences) @ self.weights[:-1, :-1] + self.weights[-1, :-1]
        return np.asarray(scores, dtype=np.float32)

    def features(self, sentences: Sequence[str]) -> Any:
        """TF-IDF of the terms, rows of unit length, a sparse matrix (n, terms)."""
        return self._vectorizer.transform(sentences)

    @classmethod
    def fit(cls, counted: CountedTerms, roles: np.ndarray, articles: np.ndarray, seed: int) -> tuple[Self, np.ndarray]:
        """The scorer of all labelled sentences, and what scorers that had not seen its article say of each, (n, 5).

        roles: (n,), places in ROLES, negative where unknown. articles: (n,) numbers; folds are by article.
        """
        weights, unseen = fitted_apart(counted.weighed_by, roles, articles, seed)
        terms, idf = counted.kept()
        return cls(terms, np.column_stack([weights, [*idf, 0.0]])), unseen

    def save(self, folder: Path) -> None:
        """Writes its two files."""
        (folder / "terms.txt").write_text("\n".join(self.terms), encoding="utf-8")
        np.save(folder / "terms.npy", self.weights)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads the terms and their weights from a model's folder."""
        terms = (folder / "terms.txt").read_text(encoding="utf-8").split("\n")
        return cls(terms, np.load(folder / "terms.npy", allow_pickle=False))


def fitted_apart(
    features: Callable[[np.ndarray], Any], roles: np.ndarray, articles: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Weights of linear scorers by role, shape (features + 1, 5), the intercepts last, of all labelled rows; and what
    scorers that had not seen its article say of each row, (n, 5).

    features: by the rows that may be looked at, bool[n], those of all rows, sparse, (n, any); roles: (n,), places in
    ROLES, negative where unknown; articles: (n,) numbers; folds are by article. Raises ValueError unless the labels
    have all roles.
    """
    fold = np.random.default_rng(seed).permutation(int(articles.max()) + 1)[articles] % FOLDS
    unseen = np.zeros((len(roles), len(ROLES)), dtype=np.float32)
    for number in range(FOLDS):
        seen = fold != number
        rows = features(seen)
        weights = _weights(rows[seen & (roles >= 0)], roles[seen & (roles >= 0)])
        unseen[~seen] = rows[~seen] @ weights[:-1] + weights[-1]
    rows = features(np.ones(len(roles), dtype=bool))
    return _weights(rows[roles >= 0], roles[roles >= 0]), unseen


def _weights(rows: Any, roles: np.ndarray) -> np.ndarray:
    if len(set(roles.tolist())) < len(ROLES):
        raise ValueError("the labelled sentences must have all five roles")
    fitted = LinearSVC(C=MARGIN, random_state=0).fit(rows, roles)
    return np.vstack([fitted.coef_.T, fitted.intercept_])
