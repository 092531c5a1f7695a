"""Inter-annotator agreement on nominal values: the coefficients, and intervals by the bootstrap over articles.

Two forms of the same data. `counts`, shape (units, values): how many annotators gave each value to each unit; units
may have different numbers of annotators, and those with fewer than two count for nothing. `table`, shape
(values, values): units by the value of one annotator (rows) and of another. In both, value 1 of two is the positive.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import krippendorff
import numpy as np

from model.evaluation.intervals import LEVEL

ROUNDS = 1000
# Of articles made up to differ, an interval of 95% holds the truth in 46% of cases with 2 articles. With 5 it is 83%,
# with 10 89%, with 20 92% and with 40 95%.
MIN_ARTICLES, ENOUGH_ARTICLES = 5, 20
# Resamplings with a single value have no coefficient; of a coefficient with more of them no interval is given.
MOST_UNDEFINED = 0.05
# Landis and Koch 1977, p. 165: above which value a name holds. They call the divisions "clearly arbitrary".
NAMES = ((0.8, "almost perfect"), (0.6, "substantial"), (0.4, "moderate"), (0.2, "fair"), (0.0, "slight"))
# Krippendorff 2004, p. 241: rely on variables with an alpha above .800, draw tentative conclusions down to .667.
RELIABLE, TENTATIVE = 0.8, 0.667


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient with its 95% interval; None where it is undefined, and bounds None where there is no interval."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far annotators agree on some units.

    `percent` is the share of pairs of annotators that give a unit the same value. `positive` is the share of the others
    who agree with one who calls a unit positive. Both are 0 to 1. `fleiss` and `alpha` are at most 1, and 0 by chance.
    """

    units: int
    articles: int
    percent: Coefficient
    positive: Coefficient
    fleiss: Coefficient
    alpha: Coefficient


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two annotators agree. `table` is units by the value of the first (rows) and of the second."""

    units: int
    articles: int
    table: tuple[tuple[int, ...], ...]
    percent: Coefficient
    positive: Coefficient
    cohen: Coefficient


def krippendorff_alpha(counts: np.ndarray) -> float | None:
    """Krippendorff's alpha for nominal values, at most 1, 0 by chance; None where only one value occurs.

    Every annotator of a unit weighs the same, so that units with more annotators weigh more. Source: Krippendorff 2011.
    """
    given = _paired(counts)
    if (given.sum(axis=0) > 0).sum() < 2:
        return None
    return float(krippendorff.alpha(value_counts=given, level_of_measurement="nominal"))


def agreement(counts: np.ndarray, articles: np.ndarray, seed: int = 0) -> Agreement:
    """All coefficients of these units. `articles` says of which article each is: sentences of one are not independent,
    so the intervals (percentile bootstrap, ROUNDS) draw whole articles. Source: Efron 1979; Field and Welsh 2007.
    """
    kept = counts.sum(axis=1) > 1
    by_article, sums = _by_article(_sums(counts), articles[kept])
    draws = _draws(len(by_article), seed)
    percent, positive, fleiss, alpha = (
        _coefficient(measure, sums, draws) for measure in (_percent, _positive, _fleiss, _alpha)
    )
    # The value is the package's; the value of the sums, from which the interval comes, differs only by rounding.
    alpha = Coefficient(krippendorff_alpha(counts), alpha.low, alpha.high)
    return Agreement(int(kept.sum()), len(by_article), percent, positive, fleiss, alpha)


def alphas(counts: np.ndarray, articles: np.ndarray) -> dict[int, tuple[int, float | None, float | None]]:
    """By article: its units, percent agreement and alpha, of thousands of articles at once."""
    by_article, sums = _by_article(_sums(counts), articles[counts.sum(axis=1) > 1])
    rows = zip(by_article.tolist(), sums[:, 0].tolist(), _percent(sums).tolist(), _alpha(sums).tolist(), strict=True)
    return {article: (int(units), _scalar(percent), _scalar(alpha)) for article, units, percent, alpha in rows}


def pair_agreement(first: np.ndarray, second: np.ndarray, articles: np.ndarray, seed: int = 0) -> PairAgreement:
    """The agreement of two annotators who gave these values, 0 or 1, to the same units."""
    cells = np.zeros((len(first), 4))
    cells[np.arange(len(first)), 2 * first + second] = 1
    by_article, sums = _by_article(cells, articles)
    draws = _draws(len(by_article), seed)
    percent, positive, cohen = (
        _coefficient(measure, sums, draws) for measure in (_percent_of_two, _positive_of_two, _cohen)
    )
    table = sums.sum(axis=0).astype(int).reshape(2, 2).tolist()
    return PairAgreement(len(first), len(by_article), tuple(map(tuple, table)), percent, positive, cohen)


def name_of(coefficient: float) -> str:
    """What Landis and Koch call it."""
    return "poor" if coefficient < 0 else next(name for above, name in NAMES if coefficient > above or not above)


# Every coefficient is a function of sums over units. So the sums of the articles are all that a resampling needs, and
# a thousand resamplings are one product of matrices.


def _paired(counts: np.ndarray) -> np.ndarray:
    given = np.asarray(counts)
    return np.asarray(given[given.sum(axis=1) > 1])


def _sums(counts: np.ndarray) -> np.ndarray:
    """By unit: 1, the share of agreeing pairs, the share of each value (v), and the coincidences (v * v)."""
    given = _paired(counts).astype(float)
    number = given.sum(axis=1, keepdims=True)
    coincidences = given[:, :, None] * given[:, None, :] - given[:, :, None] * np.eye(given.shape[1])
    coincidences /= number[:, :, None] - 1
    agreeing = np.trace(coincidences, axis1=1, axis2=2)[:, None] / number
    return np.hstack(
        [np.ones_like(number), agreeing, given / number, coincidences.reshape(len(given), given.shape[1] ** 2)]
    )


def _by_article(rows: np.ndarray, articles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the articles, the sums of their rows)."""
    found, where = np.unique(articles, return_inverse=True)
    sums = np.zeros((len(found), rows.shape[1]))
    np.add.at(sums, where, rows)
    return found, sums


def _draws(articles: int, seed: int) -> np.ndarray | None:
    """How often each article is drawn in each resampling, shape (ROUNDS, articles)."""
    if articles < MIN_ARTICLES:
        return None
    drawn = np.random.default_rng(seed).integers(0, articles, (ROUNDS, articles))
    drawn += np.arange(ROUNDS)[:, None] * articles
    return np.bincount(drawn.ravel(), minlength=ROUNDS * articles).reshape(ROUNDS, articles).astype(float)


_Measure = Callable[[np.ndarray], np.ndarray]


def _coefficient(measure: _Measure, sums: np.ndarray, draws: np.ndarray | None) -> Coefficient:
    value = _scalar(measure(sums.sum(axis=0)))
    if value is None or draws is None:
        return Coefficient(value)
    drawn = measure(draws @ sums)
    defined = drawn[~np.isnan(drawn)]
    if len(defined) < (1 - MOST_UNDEFINED) * ROUNDS:
        return Coefficient(value)
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Coefficient(value, float(low), float(high))


def _scalar(value: np.ndarray | float) -> float | None:
    return None if np.isnan(value) else float(value)


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """nan where there is nothing to divide by, but for rounding."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(np.abs(denominator) > 1e-9, numerator / denominator, np.nan)


def _values(sums: np.ndarray) -> int:
    """How many values the sums of `_sums` are of: 2 + v + v² columns."""
    return round((math.sqrt(4 * sums.shape[-1] - 7) - 1) / 2)


def _coincidences(sums: np.ndarray) -> np.ndarray:
    v = _values(sums)
    return sums[..., 2 + v :].reshape(*sums.shape[:-1], v, v)


def _percent(sums: np.ndarray) -> np.ndarray:
    """The share of pairs of annotators that give a unit the same value, mean over units; nan without units."""
    return _ratio(sums[..., 1], sums[..., 0])


def _positive(sums: np.ndarray) -> np.ndarray:
    """Of those who call a unit positive, the share of the others who do, too: 2a / (2a + b + c) for two annotators.

    nan where none does. Agreement on what is rare, which percent agreement hides. Source: Cicchetti and Feinstein
    1990.
    """
    found = _coincidences(sums)
    return _ratio(found[..., 1, 1], found[..., 1, :].sum(axis=-1))


def _fleiss(sums: np.ndarray) -> np.ndarray:
    """Fleiss' kappa, at most 1, 0 by chance; nan where only one value occurs, since chance then explains everything.

    With different numbers of annotators every unit weighs the same in both agreements. The observed one is the mean
    share of agreeing pairs; the expected one is of the mean shares of the values. Source: Fleiss 1971; that form: Gwet
    2014.
    """
    observed = _percent(sums)
    shares = _ratio(sums[..., 2 : 2 + _values(sums)], sums[..., :1])
    expected = (shares**2).sum(axis=-1)
    return _ratio(observed - expected, 1 - expected)


def _alpha(sums: np.ndarray) -> np.ndarray:
    """Krippendorff's alpha for many resamplings at once, as `krippendorff_alpha`; nan where only one value occurs."""
    found = _coincidences(sums)
    given = found.sum(axis=-1)
    n = given.sum(axis=-1)
    observed = n - np.trace(found, axis1=-2, axis2=-1)
    expected = n**2 - (given**2).sum(axis=-1)
    return 1 - _ratio((n - 1) * observed, expected)


def _cohen(cells: np.ndarray) -> np.ndarray:
    """Cohen's kappa of two annotators, -1 to 1, 0 by chance; nan without units or where only one value occurs.

    Source: Cohen 1960.
    """
    table = cells.reshape(*cells.shape[:-1], 2, 2)
    n = table.sum(axis=(-2, -1))
    observed = _ratio(np.trace(table, axis1=-2, axis2=-1), n)
    expected = _ratio((table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1), n**2)
    return _ratio(observed - expected, 1 - expected)


def _percent_of_two(cells: np.ndarray) -> np.ndarray:
    return _ratio(cells[..., 0] + cells[..., 3], cells.sum(axis=-1))


def _positive_of_two(cells: np.ndarray) -> np.ndarray:
    both = 2 * cells[..., 3]
    return _ratio(both, both + cells[..., 1] + cells[..., 2])
