"""Ranks documents by the judgements of some of them: words, vectors and signs of how a study was done are learnt again
in a fraction of a second.

Fitting imports scikit-learn when it is called.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import scipy
import yaml
from threadpoolctl import threadpool_limits

SIGNS: dict[str, str] = yaml.safe_load((files("model.finding") / "designs.yaml").read_text(encoding="utf-8"))
MOST = 4  # of one sign in a text: more tell no more
_PATTERNS = [re.compile(pattern) for pattern in SIGNS.values()]


def designs(texts: Sequence[str], blank: np.ndarray) -> np.ndarray:
    """How much of each sign is in each text, float32[n, signs]: the square root of how often, standardised over the
    texts that hold any words, of a length near 1. 0 for `blank` ones, bool[n]."""
    lowered = [text.lower() for text in texts]
    often = [[min(len(pattern.findall(text)), MOST) for pattern in _PATTERNS] for text in lowered]
    counts = np.sqrt(np.array(often, dtype=np.float64)).astype(np.float32)
    with_text = counts[~blank]
    if not len(with_text):
        return np.zeros((len(texts), len(SIGNS)), dtype=np.float32)
    spread = np.maximum(with_text.std(axis=0), 0.1)
    found = (counts - with_text.mean(axis=0)) / spread / np.sqrt(len(SIGNS))
    return np.where(blank[:, None], 0, found).astype(np.float32)


def standardised(scores: np.ndarray) -> np.ndarray:
    """The scores (candidates, scores), each column of mean 0 and deviation 1, or 0 without any difference."""
    deviation = scores.std(axis=0, keepdims=True)
    centred = scores - scores.mean(axis=0, keepdims=True)
    return np.asarray(centred / np.where(deviation > 1e-9, deviation, np.inf))


# Of words: C of a support vector machine, and how much all relevant ones weigh together where the others weigh 1, as in
# ASReview's ELAS u4.
MARGIN, BALANCE = 0.11, 9.8
# scikit-learn's C of the regressions on vectors, and on the few signs of a study's design.
OF_VECTORS, OF_DESIGNS = 10.0, 1.0
# How much vectors, signs of design and the first sight count where words count 1: chosen on ten screened reviews
# (docs/measurements/find.md).
VECTORS, DESIGNS, FIRST_SIGHT = 0.25, 0.5, 0.5


@dataclass(frozen=True, eq=False)
class Pool:
    """Documents that feedback orders, n of them. They bring TF-IDF of words and pairs of words (n, columns), and the
    words themselves (columns,). Unit vectors (n, dimension) and signs of how each study was done (n, signs) may be
    None. Each has a score from before any feedback (n,), higher for likelier ones, and a mark of no text at all, bool
    (n,)."""

    words: "scipy.sparse.csr_matrix"
    vocabulary: np.ndarray
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
    weighed = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), max_df=0.9, dtype=np.float32)
    whole = [f"{title}\n{text}" for title, text in texts]
    try:
        words = scipy.sparse.csr_matrix(weighed.fit_transform(whole))
        vocabulary = weighed.get_feature_names_out()
    except ValueError:  # no text holds a word
        words, vocabulary = scipy.sparse.csr_matrix((len(texts), 1), dtype=np.float32), np.array([""], dtype=object)
    known = np.zeros(len(texts)) if prior is None else np.asarray(prior, dtype=float)
    blank = np.array([not text.strip() for text in whole], dtype=bool)
    signs = designs(whole, blank) if by_design else None
    if blank.all():  # then their vectors tell, where there are any
        return Pool(words, vocabulary, vectors, signs, known, ~blank)
    return Pool(words, vocabulary, vectors, signs, np.where(blank, known[~blank].mean(), known), blank)


def scores(
    pool: Pool, places: Sequence[int], relevant: Sequence[bool], promising: Sequence[bool] | None = None
) -> np.ndarray:
    """How likely each document of the pool is relevant, shape (n,), higher for likelier ones, once `relevant` was said
    of those at `places`. The prior where nothing, or only one kind, has been judged.

    The sum of standardised scores: of words by a support vector machine; of vectors and of signs of how a study was
    done, where the pool has them, by logistic regressions, which count less. `promising` is true of those that looked
    relevant at first sight, the relevant ones among them: where some were dropped later, the first sight, which a
    reviewer of abstracts shares, counts half.

    Of a document without any text nothing is learnt, and it is as likely as any other.
    """
    judgements = [(1.0, np.asarray(relevant, dtype=int))]
    if judgements[0][1].sum() in (0, len(relevant)):
        return pool.prior
    if promising is not None:
        seen = np.asarray(promising, dtype=int)
        judgements += [(FIRST_SIGHT, seen)] if judgements[0][1].sum() < seen.sum() < len(seen) else []
    kinds = ((1.0, pool.words, MARGIN), (DESIGNS, pool.designs, OF_DESIGNS), (VECTORS, pool.vectors, OF_VECTORS))
    found = np.zeros(len(pool))
    with threadpool_limits(1):  # so small products only wait for a second core
        for share, labels in judgements:
            for weight, features, strength in kinds:
                if features is not None:
                    learnt = _learnt(pool, features, strength, np.asarray(places), labels)
                    found += share * weight * standardised(learnt[:, None])[:, 0]
    return found


def _learnt(
    pool: Pool,
    features: "scipy.sparse.csr_matrix | np.ndarray",
    strength: float,
    places: np.ndarray,
    labels: np.ndarray,
) -> np.ndarray:
    """Distances from the margin by words, log odds by all else, shape (n,). strength: scikit-learn's C."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (as above)

    if features is pool.words:
        weights, start = _word_weights(pool, strength, places, labels)
        far = features @ weights + start
        return np.asarray(np.where(pool.blank, far[~pool.blank].mean(), far))
    teaching = _which_teach(pool, places, labels)
    odds = LogisticRegression(C=strength, class_weight="balanced", solver="liblinear")
    odds.fit(features[places[teaching]], labels[teaching])
    return np.asarray(np.where(pool.blank, 0.0, features @ odds.coef_[0] + odds.intercept_[0]))


def _which_teach(pool: Pool, places: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Which of the judged documents teach, bool[labels]: those with a text, if both kinds are among them, else all."""
    teaching: np.ndarray = ~pool.blank[places]
    return teaching if 0 < labels[teaching].sum() < teaching.sum() else np.ones(len(places), dtype=bool)


def _word_weights(pool: Pool, strength: float, places: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, float]:
    """(weights of words, start) of the support vector machine, in scikit-learn's terms coefficients and intercept."""
    from sklearn.svm import LinearSVC  # noqa: PLC0415 (as above)

    teaching = _which_teach(pool, places, labels)
    kinds = labels[teaching]
    weights = np.where(kinds == 1, 1.0, kinds.sum() / BALANCE / (1 - kinds).sum())
    machine = LinearSVC(C=strength, max_iter=5000, random_state=0)
    machine.fit(pool.words[places[teaching]], kinds, sample_weight=weights * len(kinds) / weights.sum())
    return machine.coef_[0], float(machine.intercept_[0])


def telling_words(pool: Pool, places: Sequence[int], relevant: Sequence[bool], most: int = 15) -> list[str]:
    """Single words that speak most for relevance in the documents called relevant: weight times mean TF-IDF, the
    highest first, at most `most`. Both kinds must have been said."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415 (as above)

    where, labels = np.asarray(places), np.asarray(relevant, dtype=int)
    with threadpool_limits(1):
        weights, _ = _word_weights(pool, MARGIN, where, labels)
    speaks = weights * np.asarray(pool.words[where[labels == 1]].mean(axis=0))[0]
    best = (str(pool.vocabulary[place]) for place in np.argsort(-speaks)[: 20 * most] if speaks[place] > 0)
    return [word for word in best if word.isalpha() and len(word) > 2 and word not in ENGLISH_STOP_WORDS][:most]
