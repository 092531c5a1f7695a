"""How far probabilities can be taken at their word: reliability, its error, and Platt scaling of log odds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from model.evaluation.intervals import wilson
from model.evaluation.metrics import Numbers

BINS = 10
# A steeper log odds must never mean less likely: a slope that the labels would turn round is held just above 0.
LEAST_SLOPE = 1e-3
GRADIENT = 1e-9


@dataclass(frozen=True, slots=True)
class Platt:
    """Probability = 1 / (1 + exp(-(a log_odds + b))); a above 0, so that the order stays as it was."""

    a: float
    b: float

    def probability(self, log_odds: Numbers) -> np.ndarray:
        """Calibrated probabilities of the same shape, 0 to 1."""
        return np.asarray(scipy.special.expit(self.a * np.asarray(log_odds, dtype=float) + self.b))


def reliability(p: Numbers, truth: Numbers) -> list[dict[str, Any]]:
    """Probabilities in bins of equal width, JSON-able; empty bins are left out.

    A bin holds `count` sentences with low <= p < high (the last one <= high) and their mean_probability. `share` is the
    part that came true, with its Wilson interval, share_low to share_high. Raises ValueError for arrays of unlike
    length or p outside 0 to 1. Source: Murphy and Winkler 1977.
    """
    p, truth = np.asarray(p, dtype=float), np.asarray(truth, dtype=float)
    if p.shape != truth.shape or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"{p.shape} probabilities, {truth.shape} labels; needs equal rows, from 0 to 1")
    where = np.minimum((p * BINS + 1e-9).astype(int), BINS - 1)
    found = []
    for number in np.unique(where).tolist():
        chosen = where == number
        count = int(chosen.sum())
        share = wilson(int(truth[chosen].sum()), count)
        ends = {"low": number / BINS, "high": (number + 1) / BINS}
        shares = {"share": share.value, "share_low": share.low, "share_high": share.high}
        found.append({**ends, "count": count, "mean_probability": float(p[chosen].mean()), **shares})
    return found


def expected_calibration_error(p: Numbers, truth: Numbers) -> float | None:
    """ECE = sum over bins of equal width of count / n * |share of key - mean p|; 0 (good) to 1; None for no sentence.

    Errors as for `reliability`. Source: Naeini et al. 2015; bins of equal width as in Guo et al. 2017.
    """
    n = len(p)
    found = reliability(p, truth)
    return sum(b["count"] * abs(b["share"] - b["mean_probability"]) for b in found) / n if n else None


def fit_platt(log_odds: Numbers, truth: Numbers) -> Platt:
    """Slope and offset of least cross-entropy, on Platt's targets (N1 + 1) / (N1 + 2) and 1 / (N0 + 2).

    These keep both finite even where the log odds part the classes. Raises ValueError unless there are sentences of
    both classes. Sources: Platt 1999; Lin, Lin and Weng 2007.
    """
    x, truth = np.asarray(log_odds, dtype=float), np.asarray(truth, dtype=float)
    if x.shape != truth.shape or not np.isfinite(x).all():
        raise ValueError(f"{x.shape} log odds, {truth.shape} labels; needs equal, finite rows")
    key, other = int((truth > 0).sum()), int((truth <= 0).sum())
    if not key or not other:
        raise ValueError(f"{key} key sentences, {other} others; needs some of both")
    target = np.where(truth > 0, (key + 1) / (key + 2), 1 / (other + 2))
    # Standardised, so that the fit depends neither on the scale of the log odds nor on where they lie.
    mean, scale = float(x.mean()), float(x.std()) or 1.0
    standard = (x - mean) / scale
    rows = np.column_stack([standard, np.ones_like(x)])
    slope, offset = _fitted(rows, target, np.array([0.0, np.log((key + 1) / (other + 1))]))
    if slope / scale < LEAST_SLOPE:
        slope = LEAST_SLOPE * scale
        (offset,) = _fitted(rows[:, 1:], target, np.array([offset]), slope * standard)
    return Platt(slope / scale, offset - slope * mean / scale)


def cross_calibrated(log_odds: Numbers, truth: Numbers, groups: Sequence[int] | np.ndarray, folds: int) -> np.ndarray:
    """Probabilities, shape (n,), each by a Platt fit that saw no sentence of the same group (article).

    Groups are dealt out by their number of key sentences, so that folds are alike. Where the other folds lack a
    class, the log odds are taken as they are. Raises ValueError for fewer than two groups or folds.
    """
    x, truth, groups = np.asarray(log_odds, dtype=float), np.asarray(truth, dtype=float), np.asarray(groups)
    names, where = np.unique(groups, return_inverse=True)
    if len(names) < 2 or folds < 2:
        raise ValueError(f"{len(names)} groups in {folds} folds; needs at least two of both")
    order = np.lexsort((names, -np.bincount(where, weights=truth)))
    fold_of = np.empty(len(names), dtype=int)
    fold_of[order] = np.arange(len(names)) % folds
    p = np.empty_like(x)
    for fold in range(min(folds, len(names))):
        held = fold_of[where] == fold
        seen = truth[~held]
        fit = fit_platt(x[~held], seen) if 0 < (seen > 0).sum() < len(seen) else Platt(1.0, 0.0)
        p[held] = fit.probability(x[held])
    return p


def _fitted(rows: np.ndarray, target: np.ndarray, start: np.ndarray, fixed: np.ndarray | float = 0.0) -> np.ndarray:
    """The weights of least cross-entropy to the targets, which is convex; `fixed` is added to the log odds."""

    def loss(beta: np.ndarray) -> tuple[float, np.ndarray]:
        z = rows @ beta + fixed
        gradient = rows.T @ (scipy.special.expit(z) - target)
        return float((np.logaddexp(0, z) - target * z).mean()), gradient / len(z)

    return np.asarray(scipy.optimize.minimize(loss, start, jac=True, method="BFGS", options={"gtol": GRADIENT}).x)
