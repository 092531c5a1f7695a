"""The light head: Bayesian logistic regression over a sentence's features and its stored embedding, in numpy.

It learns in milliseconds from one verdict, says how sure it is, and begins as the fixed hybrid ranking.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy

from model.active_learning.features import FEATURES
from model.active_learning.taught import Taught

# Random projections of the embedding, in addition to the features. On 822 articles of Evidence Inference they add .008
# to the ARP of .492 with all labels; 64 add no more. The 32 principal axes add .015, but would have to be kept.
PROJECTIONS = 32
COLUMNS = (*FEATURES, *(f"embedding {number}" for number in range(PROJECTIONS)))
# The variance of each weight before any label. With 0.02 the head leaves the hybrid too soon where that is good: the
# sample's abstracts without labels, .905 cold, come to .878 by random order after 15 articles, with 0.005 to .913 and
# with 0.002 to .920; Evidence Inference after 50 to .462, .456 and .440 (docs/measurements/simulation.md).
PRIOR_VARIANCE = 0.005
# Along the fixed hybrid the weights are free to grow or shrink: its variance is larger by this factor.
HYBRID_VARIANCE = 100.0
# A spread of the hybrid's score of one standard deviation is worth this many log odds before any label.
HYBRID_LOG_ODDS = 1.0
FIRST_INTERCEPT = -3.0  # one sentence in twenty: rarer in full texts, more frequent in abstracts
INTERCEPT_VARIANCE = 4.0
NEWTON_STEPS = 50
PRECISE = 1e-6  # of a standard deviation of the posterior


def rows_of(features: np.ndarray, vectors: np.ndarray | None) -> np.ndarray:
    """The head's view of an article's sentences, shape (n, len(COLUMNS)): features, then projected embeddings.

    features: (n, len(FEATURES)); vectors: (n, dimension) of unit length, None for zeros.
    """
    projected = np.zeros((len(features), PROJECTIONS))
    if vectors is not None and len(vectors):
        projected = vectors @ projection(vectors.shape[1])
    return np.hstack([features, projected]).astype(np.float32)


@lru_cache(maxsize=4)
def projection(dimension: int) -> np.ndarray:
    """Signs by lot, the same on every machine, shape (dimension, PROJECTIONS): the projections of unit vectors have
    a mean square of about 1 (Achlioptas, Database-friendly random projections, 2003)."""
    signs = np.random.Generator(np.random.PCG64(7)).integers(0, 2, (dimension, PROJECTIONS), dtype=np.int8)
    return (2.0 * signs - 1.0).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Head:
    """The Gaussian posterior of the weights: mean (d + 1,), precision (d + 1, d + 1), the intercept last.

    Precision is the inverse of the covariance.

    Rows are standardised by `means` and `scales`, shape (d,), which never change as the head learns.
    """

    means: np.ndarray
    scales: np.ndarray
    mean: np.ndarray
    precision: np.ndarray

    def standardised(self, rows: np.ndarray) -> np.ndarray:
        """Rows as the weights take them, with a last column of ones: (..., d) -> (..., d + 1)."""
        scaled = (rows - self.means) / self.scales
        return np.concatenate([scaled, np.ones((*scaled.shape[:-1], 1), dtype=scaled.dtype)], axis=-1)

    def log_odds(self, rows: np.ndarray) -> np.ndarray:
        """The log odds that each sentence is key by the posterior mean: (..., d) -> (...,)."""
        return self.log_odds_by(self.mean[:, None], rows)[..., 0]

    def log_odds_by(self, drawn: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The log odds by other weights, such as draws: (d + 1, k), (..., d) -> (..., k)."""
        weights = drawn[:-1] / self.scales[:, None]
        offset = (drawn[-1] - self.means @ weights).astype(rows.dtype)
        return np.asarray(rows @ weights.astype(rows.dtype) + offset)

    def variance(self, rows: np.ndarray) -> np.ndarray:
        """The posterior variance of those log odds: (..., d) -> (...,)."""
        standard = self.standardised(rows)
        flat = standard.reshape(-1, standard.shape[-1])
        solved = flat @ self.root.astype(flat.dtype)
        return np.asarray(np.einsum("nd,nd->n", solved, solved)).reshape(standard.shape[:-1])

    def draws(self, number: int, generator: np.random.Generator) -> np.ndarray:
        """Weights drawn from the posterior, for standardised rows, shape (d + 1, number): a committee."""
        return self.mean[:, None] + self.root @ generator.standard_normal((len(self.mean), number))

    @cached_property
    def root(self) -> np.ndarray:
        """A matrix R with R Rᵀ the posterior covariance, shape (d + 1, d + 1)."""
        lower = np.linalg.cholesky(self.precision)
        return np.asarray(scipy.linalg.solve_triangular(lower, np.eye(len(lower)), lower=True)).T

    def learn(self, rows: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> "Head":
        """The head after these sentences: (n, d), 1 or 0 of shape (n,), and how much each counts, shape (n,).

        The maximum a posteriori by Newton's method under this head as the prior; its curvature there is the new
        precision (Laplace's approximation). Without rows it is the same head.
        """
        if not len(rows):
            return self
        x = self.standardised(rows.astype(np.float64))
        mean, loss = self.mean, self._loss(self.mean, x, truth, weights)
        for _ in range(NEWTON_STEPS):
            p = scipy.special.expit(x @ mean)
            gradient = x.T @ (weights * (p - truth)) + self.precision @ (mean - self.mean)
            curvature = (x.T * (weights * p * (1 - p))) @ x + self.precision
            step = scipy.linalg.cho_solve(scipy.linalg.cho_factor(curvature), gradient)
            size = 1.0
            while (found := self._loss(mean - size * step, x, truth, weights)) > loss and size > 1e-4:
                size /= 2
            done = float(step @ gradient) < PRECISE**2 or found >= loss
            if found < loss:
                mean, loss = mean - size * step, found
            if done:
                break
        p = scipy.special.expit(x @ mean)
        return replace(self, mean=mean, precision=(x.T * (weights * p * (1 - p))) @ x + self.precision)

    def _loss(self, mean: np.ndarray, x: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> float:
        z = x @ mean
        off = mean - self.mean
        return float(weights @ (np.logaddexp(0, z) - truth * z) + off @ self.precision @ off / 2)

    def as_dict(self) -> dict[str, Any]:
        """The head as it is stored: its weights by the names of the columns, for rows as they come (not standardised),
        and the intercept."""
        weights, intercept = self.weights()
        return {"weights": dict(zip(COLUMNS, weights.tolist(), strict=True)), "intercept": intercept}

    def weights(self) -> tuple[np.ndarray, float]:
        """The mean weights for rows as they come, shape (d,), and the intercept."""
        weights = self.mean[:-1] / self.scales
        return weights, float(self.mean[-1] - self.means @ weights)


def first_head(rows: np.ndarray, prior: np.ndarray, prior_variance: float = PRIOR_VARIANCE) -> Head:
    """The head before any label, for sentences such as these, shape (n, d): it ranks as the fixed hybrid does.

    prior: that hybrid as weights of the features, shape (len(FEATURES),), as of `prior_of`; further columns begin at 0.
    prior_variance: how far labels may move each weight from there.
    """
    means, scales = rows.mean(axis=0, dtype=np.float64), rows.std(axis=0, dtype=np.float64)
    scales[scales < 1e-6] = 1.0
    hybrid = np.concatenate([prior, np.zeros(rows.shape[1] - len(prior))])
    spread = float(((rows - means) @ hybrid).std()) or 1.0
    direction = np.append(hybrid * scales / spread, 0.0)
    size = float(direction @ direction)
    variance = np.append(np.full(len(means), prior_variance), INTERCEPT_VARIANCE)
    # (V + s u uᵀ)⁻¹ by Sherman and Morrison; u has no part along the intercept.
    share = HYBRID_VARIANCE / (1 + HYBRID_VARIANCE * size)
    precision = np.diag(1 / variance) - share / prior_variance * np.outer(direction, direction)
    mean = HYBRID_LOG_ODDS * direction
    mean[-1] = FIRST_INTERCEPT
    return Head(means, scales, mean, precision)


def teach(head: Head, articles: Sequence[Taught]) -> Head:
    """The head after these articles."""
    if not articles:
        return head
    return head.learn(
        np.vstack([article.rows for article in articles]),
        np.concatenate([article.truth for article in articles]),
        np.concatenate([article.weights for article in articles]),
    )
