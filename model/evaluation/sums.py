"""Measures of predictions as functions of sums over the tested items, so that an interval costs one product.

Each item gives some numbers, its statistics; the measure is a function of their sums. The bootstrap gives the items new
weights and never looks at them again. Items that belong together (sentences of an article) are one unit, drawn as one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy  # its statistics, a fifth of a command's start, are imported where they are first used

from model.evaluation.intervals import LEVEL, Estimate

ROUNDS = 1_000
SEED = 0


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure from 0 or -1 to 1, higher is better.

    `statistics` takes truth and prediction of n items and gives shape (n, k); `value` takes sums (..., k), gives (...).
    Classes are rows of 0 and 1, shape (n, classes); similarities and shares have shape (n,).
    """

    label: str
    statistics: Callable[[np.ndarray, np.ndarray], np.ndarray]
    value: Callable[[np.ndarray], np.ndarray]


def _hits(truth: np.ndarray, guess: np.ndarray) -> np.ndarray:
    hit = (truth == guess).all(axis=1) if truth.ndim > 1 else truth == guess
    return np.column_stack([hit, np.ones(len(truth))]).astype(float)


def _confusion(truth: np.ndarray, guess: np.ndarray) -> np.ndarray:
    """For each class in turn: found, named, true."""
    return np.concatenate([truth * guess, guess, truth], axis=1).astype(float)


def _moments(truth: np.ndarray, guess: np.ndarray) -> np.ndarray:
    x, y = truth - truth.mean(), guess - guess.mean()
    return np.column_stack([np.ones(len(x)), x, y, x * y, x * x, y * y])


def _rank_moments(truth: np.ndarray, guess: np.ndarray) -> np.ndarray:
    ranks = scipy.stats.rankdata
    return _moments(ranks(truth) / len(truth), ranks(guess) / len(guess))


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Nothing of nothing is 0, as in scikit-learn."""
    return np.asarray(np.divide(above, below, out=np.zeros_like(above, dtype=float), where=below > 0))


def _mean(sums: np.ndarray) -> np.ndarray:
    return _ratio(sums[..., 0], sums[..., 1])


def _f1(sums: np.ndarray) -> np.ndarray:
    """Of each class, shape (..., classes)."""
    found, named, true = np.split(sums, 3, axis=-1)
    return _ratio(2 * found, named + true)


def _micro_f1(sums: np.ndarray) -> np.ndarray:
    return _f1(sums.reshape(*sums.shape[:-1], 3, -1).sum(axis=-1))[..., 0]


def _correlation(sums: np.ndarray) -> np.ndarray:
    n, x, y, xy, xx, yy = np.moveaxis(sums, -1, 0)
    spread = (n * xx - x * x) * (n * yy - y * y)
    return _ratio(n * xy - x * y, np.sqrt(np.maximum(spread, 0)))


# Source: Manning et al. 2008, section 8.3 (F1) and 13.6 (macro and micro averages). Spearman's intervals keep the ranks
# that the items have among all.
MEASURES: dict[str, Measure] = {
    "accuracy": Measure("accuracy", _hits, _mean),
    "macro_f1": Measure("macro F1", _confusion, lambda sums: _f1(sums).mean(axis=-1)),
    "micro_f1": Measure("micro F1", _confusion, _micro_f1),
    "positive_f1": Measure("F1 of the last class", _confusion, lambda sums: _f1(sums)[..., -1]),
    "pearson": Measure("Pearson", _moments, _correlation),
    "spearman": Measure("Spearman", _rank_moments, _correlation),
    "arp": Measure("ARP", lambda _, guess: np.column_stack([guess, np.ones(len(guess))]).astype(float), _mean),
}


def unit_sums(statistics: np.ndarray, units: Sequence[str]) -> np.ndarray:
    """The statistics of n items, shape (n, k), summed by unit in the order of their first items, shape (units, k)."""
    places: dict[str, int] = {}
    rows = np.array([places.setdefault(unit, len(places)) for unit in units], dtype=int)
    sums = np.zeros((len(places), statistics.shape[1]))
    np.add.at(sums, rows, statistics)
    return sums


@lru_cache(maxsize=8)
def _draws(units: int) -> np.ndarray:
    """How often each unit is drawn in each round, shape (rounds, units)."""
    generator = np.random.default_rng(SEED)
    return generator.multinomial(units, np.full(units, 1 / units), ROUNDS).astype(np.float32)


def estimate(measure: str, sums: np.ndarray) -> Estimate:
    """The measure of some units, shape (units, k), with its 95% percentile bootstrap interval. Source: Efron 1979."""
    value = MEASURES[measure].value
    return _estimate(float(value(sums.sum(axis=0))), value(_draws(len(sums)) @ sums))


def difference(measure: str, sums: np.ndarray, base: np.ndarray) -> Estimate:
    """The measure less the measure of `base` on the same units, with its interval: both are drawn together.

    Raises ValueError where they have other units.
    """
    if sums.shape != base.shape:
        raise ValueError(f"units have shape {sums.shape} and {base.shape}; they must be the same units")
    value, draws = MEASURES[measure].value, _draws(len(sums))
    seen = float(value(sums.sum(axis=0)) - value(base.sum(axis=0)))
    return _estimate(seen, value(draws @ sums) - value(draws @ base))


def _estimate(value: float, drawn: np.ndarray) -> Estimate:
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, min(value, float(low)), max(value, float(high)))
