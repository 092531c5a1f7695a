"""Triage: the probability that an article holds any key sentence, by the words of its title and abstract.

Words and pairs of words weighed by TF-IDF in a logistic regression, and one number that needs no labels, the
article's cue score. Both are joined and calibrated on log odds that each article got from others. Fitting and counting
import scikit-learn when they are called.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

from model.active_learning.acquisition import shares
from model.evaluation.metrics import Numbers, area_under_roc
from model.proposing.ranking import Pool, by_terms
from model.proposing.rules import BLANK, Rules
from model.review.stopping import MIN_READ
from model.word_weights import kept_columns, weighed

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

WORDS = r"\w[\w-]*\w|\w"  # p53, Nav1.7 in two, follow-up as one, and words of one letter
COLUMNS = 2**20  # words and pairs are put there by a hash: nothing has to be kept but the weights
TITLE_WEIGHT = 2  # how often the title is counted; 1 to 3 are alike within .005 (docs/measurements/screening.md)
# From this many articles on, words of a single one are left out: they cost .01 on 49 articles and gain .01 on 933.
RARE_FROM = 200
CUED = 3  # sentences of an article whose scores are averaged: AUROC of one, three on 49 abstracts .894, .947
REGULARISATIONS = (0.3, 1.0, 3.0, 10.0, 30.0)  # scikit-learn's C: less is more regularised
FOLDS = 5
FEW_FOLDS = 10  # where each article counts
# Less hardly steers a strategy, more adds nothing (docs/measurements/screening.md).
COLD = 8
# Of either kind: from there on probabilities are shown, and trusted by the queue (docs/measurements/screening.md).
CALIBRATED = 10
LEAST = 3  # of either kind: so that each of three folds has one


class TooFewArticles(ValueError):
    """Too few articles with, or without, a key sentence to learn from; the message says how many there are."""


def cue_score(sentences: Sequence[str], rules: Rules = BLANK) -> float:
    """A score without any label: the mean terms score of the CUED best sentences by these rules; 0.0 of
    none."""
    return best_mean(by_terms(Pool(sentences, rules=rules))) if sentences else 0.0


def best_mean(scores: np.ndarray) -> float:
    """The mean of the CUED highest scores, shape (n,); of all where there are fewer, 0.0 of none."""
    return float(np.sort(scores)[::-1][:CUED].mean()) if len(scores) else 0.0


def cold_weights(cues: np.ndarray) -> np.ndarray:
    """How much articles matter while nothing is learnt, shape (n,), 0 to 1: the share of articles whose cue scores are
    no higher, to the power of COLD; all alike where the cues are."""
    return shares(cues) ** COLD


def counts_of(texts: Sequence[tuple[str, str]]) -> "scipy.sparse.csr_matrix":
    """How often each word and pair of words stands in these (title, abstract), shape (n, COLUMNS), float32.

    10,000 abstracts take some seconds and 25 MB.
    """
    from sklearn.feature_extraction.text import HashingVectorizer  # noqa: PLC0415 (a second; the pages never fit)

    hashed = HashingVectorizer(
        token_pattern=WORDS, ngram_range=(1, 2), n_features=COLUMNS, alternate_sign=False, norm=None, dtype=np.float32
    )
    return scipy.sparse.csr_matrix(
        hashed.transform(" \n ".join([title] * TITLE_WEIGHT + [abstract]) for title, abstract in texts)
    )


@dataclass(frozen=True, eq=False)
class Examples:
    """Articles as triage takes them: counts (n, COLUMNS) of `counts_of`, cues (n,) of `cue_score`."""

    counts: "scipy.sparse.csr_matrix"
    cues: np.ndarray

    def __len__(self) -> int:
        return len(self.cues)

    def at(self, places: np.ndarray) -> "Examples":
        """The examples at these places."""
        return Examples(self.counts[places], self.cues[places])

    def save(self, path: Path) -> None:
        """Writes the examples as .npz."""
        counts = self.counts
        parts = {"counts": counts.data, "indices": counts.indices, "indptr": counts.indptr}
        np.savez(path, cues=self.cues, **parts)

    @classmethod
    def load(cls, path: Path) -> "Examples":
        """The inverse."""
        with np.load(path, allow_pickle=False) as stored:
            parts = stored["counts"], stored["indices"], stored["indptr"]
            cues = stored["cues"]
            return cls(scipy.sparse.csr_matrix(parts, shape=(len(cues), COLUMNS)), cues)


def examples_of(texts: Sequence[tuple[str, str]], cues: Sequence[float]) -> Examples:
    """Articles from their (title, abstract) and cue scores. Raises ValueError where the lengths differ."""
    if len(texts) != len(cues):
        raise ValueError(f"{len(cues)} cue scores for {len(texts)} articles")
    return Examples(counts_of(texts), np.asarray(cues, dtype=float))


@dataclass(frozen=True, eq=False)
class LearntWords:
    """Which columns of `counts_of` count, their idf and weights, of shape (c,). regularisation: scikit-learn's C."""

    columns: np.ndarray
    idf: np.ndarray
    weights: np.ndarray
    intercept: float
    regularisation: float

    def log_odds(self, counts: "scipy.sparse.csr_matrix") -> np.ndarray:
        """Log odds by the words, not calibrated, shape (n,)."""
        return np.asarray(weighed(counts, self.columns, self.idf) @ self.weights + self.intercept)


@dataclass(frozen=True, eq=False)
class Triage:
    """A fitted triage: what words say, and the regression that joins it with the cue score."""

    words: LearntWords
    join: "Pipeline"

    def log_odds(self, articles: Examples) -> np.ndarray:
        """Calibrated log odds that each holds a key sentence, shape (n,)."""
        return np.asarray(
            self.join.decision_function(np.column_stack([self.words.log_odds(articles.counts), articles.cues]))
        )


def missed_share(holds: Sequence[bool]) -> float:
    """Of articles without a key sentence among their proposals, the share that hold one all the same, 0 to 1. Articles
    that were read in full tell it; 0 where they are fewer than MIN_READ."""
    return float(np.mean(holds)) if len(holds) >= MIN_READ else 0.0


def check_enough(truth: Numbers) -> None:
    """Raises TooFewArticles unless there are LEAST of either kind."""
    held = int(np.sum(_kinds(np.asarray(truth))))
    if min(held, len(truth) - held) < LEAST:
        raise TooFewArticles(
            f"triage needs {LEAST} articles with a key sentence and {LEAST} without; there are {held} and "
            f"{len(truth) - held}"
        )


def fit_triage(articles: Examples, truth: Numbers) -> Triage:
    """The triage that these articles teach. truth: the chance that each holds a key sentence, shape (n,): 1 or 0 where
    that is known. Elsewhere it is the share of such articles that hold one: they teach both kinds, each by its own
    words, so that their chances have that mean.

    The regularisation is the one whose log odds of held-out articles have the best area under the ROC curve, the
    strongest of equals; those log odds also join words and cues and calibrate. Held out, an article is as unknown as a
    new one: neither which words count nor what they weigh is learnt from it. Always the same of the same articles in
    the same order. Raises TooFewArticles.
    """
    truth = np.array(truth, dtype=float)
    check_enough(truth)
    found, log_odds = _fitted(articles, truth)
    doubted = (truth > 0) & (truth < 1)
    if doubted.any():
        truth[doubted] = _spread(log_odds[doubted], float(truth[doubted].mean()))
        found, _ = _fitted(articles, truth)
    return found


def _spread(log_odds: np.ndarray, mean: float) -> np.ndarray:
    """Chances of this mean by shifted log odds, shape (n,)."""
    shift = scipy.optimize.brentq(lambda by: scipy.special.expit(log_odds + by).mean() - mean, -100, 100)
    return np.asarray(scipy.special.expit(log_odds + shift))


def _fitted(articles: Examples, truth: np.ndarray) -> tuple[Triage, np.ndarray]:
    """A triage, and the log odds of each of its articles held out, shape (n,)."""
    least = 2 if len(truth) >= RARE_FROM else 1
    occurring = np.unique(articles.counts.indices)
    counts = articles.counts[:, occurring]
    with threadpool_limits(1):  # so small products only wait for a second core
        held_out = {c: np.zeros(len(truth)) for c in REGULARISATIONS}
        for seen, unseen in _folds(_kinds(truth)):
            for learnt in _words_learnt(counts[seen], truth[seen], least, REGULARISATIONS):
                held_out[learnt.regularisation][unseen] = learnt.log_odds(counts[unseen])
        # To three places: finer differences come from single pairs of articles.
        chosen = max(held_out, key=lambda c: (round(area_under_roc(_kinds(truth), held_out[c]) or 0.0, 3), -c))
        (words,) = _words_learnt(counts, truth, least, [chosen])
        words = replace(words, columns=occurring[words.columns])
        join = _joined(held_out[chosen], articles.cues, truth)
        return Triage(words, join), join.decision_function(np.column_stack([held_out[chosen], articles.cues]))


def _turned(words: "scipy.sparse.csr_matrix") -> tuple[np.ndarray, np.ndarray]:
    """(the rows turned into as many columns as there are articles, products between them unchanged, shape (n, r);
    the matrix (n, r) by which weights of these become weights of the articles): 150,000 words cost nothing more."""
    values, vectors = scipy.linalg.eigh((words @ words.T).toarray())
    kept = values > 1e-9
    roots = np.sqrt(values[kept])
    return vectors[:, kept] * roots, vectors[:, kept] / roots


def _kinds(truth: np.ndarray) -> np.ndarray:
    """1 where it is likelier that an article holds a key sentence, else 0."""
    return (truth > 0.5).astype(int)


def _folds(truth: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415 (as above)

    wanted = FEW_FOLDS if len(truth) < RARE_FROM else FOLDS
    number = min(wanted, int(truth.sum()), int((1 - truth).sum()))
    yield from StratifiedKFold(number, shuffle=True, random_state=0).split(truth, truth)


def _both_kinds(truth: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(places of articles, the kind that each teaches, with what weight): known ones once, others as both kinds."""
    places = np.concatenate([np.flatnonzero(truth > 0), np.flatnonzero(truth < 1)])
    kinds = np.repeat([1, 0], [(truth > 0).sum(), (truth < 1).sum()])
    return places, kinds, np.where(kinds == 1, truth[places], 1 - truth[places])


def _words_learnt(
    counts: "scipy.sparse.csr_matrix", truth: np.ndarray, least: int, regularisations: Sequence[float]
) -> Iterator[LearntWords]:
    """What the words of these articles teach by each regularisation; words of fewer than `least` articles are left
    out."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (as above)

    columns, idf = kept_columns(counts, least)
    words = weighed(counts, columns, idf)
    rows, back = _turned(words)
    places, kinds, chances = _both_kinds(truth)
    alike = chances * len(truth) / 2 / np.bincount(kinds, chances)[kinds]  # either kind weighs the same in all
    for regularisation in regularisations:
        fitted = LogisticRegression(C=regularisation, max_iter=1000).fit(rows[places], kinds, sample_weight=alike)
        weights = words.T @ (back @ fitted.coef_[0])
        yield LearntWords(columns, idf, weights, float(fitted.intercept_[0]), regularisation)


def _joined(words: np.ndarray, cues: np.ndarray, truth: np.ndarray) -> "Pipeline":
    """Logistic regression on both, each in standard deviations, with a prior of variance 1 on either weight: few
    articles leave the log odds small. A cue score that speaks against an article counts for nothing."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (as above)
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415 (as above)
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415 (as above)

    places, kinds, chances = _both_kinds(truth)
    found = make_pipeline(StandardScaler(), LogisticRegression(C=1.0))
    for counted in (cues, np.zeros(len(cues))):
        rows = np.column_stack([words, counted])[places]
        found.fit(rows, kinds, logisticregression__sample_weight=chances)
        if found[-1].coef_[0, 1] >= 0:
            break
    return found
