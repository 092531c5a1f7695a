"""Ranks documents by the judgements of some of them: words, vectors and signs of how a study was done are learnt again
in a fraction of a second.

Fitting imports scikit-learn when it is called.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

from model.finding.designs import designs

# scikit-learn's C. Of ten screened reviews, mean WSS@95 was .470 at 1 and .487 at 10 (docs/measurements/find.md).
REGULARISATION = 10.0
OF_DESIGNS = 1.0  # of the few signs of a study's design


@dataclass(frozen=True, eq=False)
class Pool:
    """Documents that feedback orders: TF-IDF of words and pairs of words (n, columns), unit vectors (n, dimension) or
    None, signs of how each study was done (n, signs) or None, what was known of each before anything was said (n,),
    higher for likelier ones, and which of them are without any text, bool (n,)."""

    words: "scipy.sparse.csr_matrix"
    vectors: np.ndarray | None
    designs: np.ndarray | None
    prior: np.ndarray
    blank: np.ndarray

    def __len__(self) -> int:
        return len(self.prior)


def pool_of(
    texts: Sequence[tuple[str, str]],
    vectors: np.ndarray | None = None,
    prior: np.ndarray | None = None,
    *,
    by_design: bool = False,
) -> Pool:
    """A pool of these (title, abstract); of 5,000 in five seconds, once. ValueError where lengths differ.

    `by_design`: with signs of how each study was done, for reviews, which choose by it; other questions lose by them.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 (a second; few pages fit)

    if any(given is not None and len(given) != len(texts) for given in (vectors, prior)):
        raise ValueError(f"{len(texts)} texts, but vectors or prior of another number")
    weighed = TfidfVectorizer(
        sublinear_tf=True,
        ngram_range=(1, 2),
        min_df=2 if len(texts) > 20 else 1,
        stop_words="english",
        dtype=np.float32,
    )
    whole = [f"{title}\n{title}\n{text}" for title, text in texts]
    try:
        words = scipy.sparse.csr_matrix(weighed.fit_transform(whole))
    except ValueError:  # no text holds a word
        words = scipy.sparse.csr_matrix((len(texts), 1), dtype=np.float32)
    known = np.zeros(len(texts)) if prior is None else np.asarray(prior, dtype=float)
    blank = np.array([not text.strip() for text in whole], dtype=bool)
    signs = designs(whole, blank) if by_design else None
    if blank.all():  # then their vectors tell, where there are any
        return Pool(words, vectors, signs, known, ~blank)
    return Pool(words, vectors, signs, np.where(blank, known[~blank].mean(), known), blank)


def scores(
    pool: Pool, places: Sequence[int], relevant: Sequence[bool], promising: Sequence[bool] | None = None
) -> np.ndarray:
    """How likely each document of the pool is relevant, shape (n,), higher for likelier ones, once `relevant` was said
    of those at `places`. The prior where nothing, or one kind alone, has been said.

    The mean of the standardised scores of logistic regressions: on words, and on vectors and signs of how a study was
    done where the pool has them. `promising` is true of those that looked relevant at first sight, the relevant ones
    among them: where some were dropped later, as much again is learnt from the first sight, which a reviewer of
    abstracts shares.

    Of a document without any text nothing is learnt, and it is as likely as any other: odds of 1, in models for which
    both kinds weigh the same.
    """
    said = [np.asarray(relevant, dtype=int)]
    if said[0].sum() in (0, len(said[0])):
        return pool.prior
    if promising is not None:
        seen = np.asarray(promising, dtype=int)
        said += [seen] if said[0].sum() < seen.sum() < len(seen) else []
    kinds = ((pool.words, REGULARISATION), (pool.designs, OF_DESIGNS), (pool.vectors, REGULARISATION))
    with threadpool_limits(1):  # so small products only wait for a second core
        found = [
            _standardised(_learnt(pool, features, strength, np.asarray(places), labels))
            for labels in said
            for features, strength in kinds
            if features is not None
        ]
    return np.asarray(np.mean(found, axis=0))


def _learnt(
    pool: Pool, features: "scipy.sparse.csr_matrix | np.ndarray", strength: float, places: np.ndarray, said: np.ndarray
) -> np.ndarray:
    """Log odds, shape (n,). strength: scikit-learn's C."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (as above)

    model = LogisticRegression(C=strength, class_weight="balanced", solver="liblinear")
    told = ~pool.blank[places]
    if not 0 < said[told].sum() < told.sum():
        told[:] = True
    model.fit(features[places[told]], said[told])
    return np.where(pool.blank, 0.0, features @ model.coef_[0] + model.intercept_[0])


def _standardised(values: np.ndarray) -> np.ndarray:
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-9))
