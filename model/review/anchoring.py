"""What showing proposals does to experts: compares articles handed out with them and without."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import scipy

from model.evaluation.intervals import LEVEL, Estimate

MIN_ARTICLES = 10  # in each arm; the bootstrap of fewer is too narrow
ROUNDS = 2000
POWER = 0.8
# Assumed before there are articles to measure it on: with ten proposals an article, half of them key, chance alone
# gives a standard deviation of .16 between articles; that articles differ adds the rest.
SPREAD = 0.25


@dataclass(frozen=True, slots=True)
class ReadArticle:
    """One article that was read to the end: how many sentences the ranking proposes, whether or not they were shown.
    Then how many of these the reader called key, and how many other sentences.
    """

    proposals: int
    key_proposals: int
    key_outside: int


@dataclass(frozen=True, slots=True)
class Effect:
    """A measure in both arms and its difference, shown less unshown, with 95% intervals."""

    shown: Estimate
    unshown: Estimate
    difference: Estimate


@dataclass(frozen=True, slots=True)
class Comparison:
    """Four measures, means over articles unless said.

    called_key: share of the proposals called key, 0 to 1. outside: key sentences outside of them. total: key sentences.
    among: share of all found key sentences that are among the proposals, 0 to 1; None where an arm found none.
    """

    called_key: Effect
    outside: Effect
    total: Effect
    among: Effect | None


def compare(shown: Sequence[ReadArticle], unshown: Sequence[ReadArticle]) -> Comparison:
    """The measures in both arms; intervals by the percentile bootstrap over the articles of each.

    Raises ValueError for fewer than MIN_ARTICLES in an arm, or an article without proposals. Source: Efron 1979.
    """
    fewest = min(len(shown), len(unshown))
    if fewest < MIN_ARTICLES or not all(article.proposals for article in (*shown, *unshown)):
        raise ValueError(f"{fewest} articles in an arm; needs {MIN_ARTICLES} of both, each with proposals")
    generator = np.random.default_rng(0)
    arms = [_measures(arm, generator) for arm in (shown, unshown)]
    columns = [[arm[:, number] for arm in arms] for number in range(4)]
    found = [
        None if np.isnan([a[0], b[0]]).any() else Effect(_interval(a), _interval(b), _interval(a - b))
        for a, b in columns
    ]
    assert found[0] and found[1] and found[2]  # means over articles always exist
    return Comparison(found[0], found[1], found[2], found[3])


def _measures(arm: Sequence[ReadArticle], generator: np.random.Generator) -> np.ndarray:
    """The measures of the arm, then of each resampling of its articles, shape (1 + ROUNDS, 4)."""
    counts = np.array([(a.proposals, a.key_proposals, a.key_outside) for a in arm], dtype=float)
    # Equal articles are drawn as one with their number, so that thousands of articles cost no more than their kinds.
    kinds, number = np.unique(counts, axis=0, return_counts=True)
    drawn = generator.multinomial(len(arm), number / len(arm), ROUNDS)
    proposals, among, outside = kinds.T
    sums = np.vstack([number, drawn]) @ np.column_stack([among / proposals, outside, among + outside, among])
    means: np.ndarray = sums / len(arm)
    with np.errstate(invalid="ignore"):
        means[:, 3] /= means[:, 2]
    return means


def _interval(values: np.ndarray) -> Estimate:
    low, high = np.nanquantile(values[1:], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(float(values[0]), float(low), float(high))


def articles_needed(
    shown_spread: float, unshown_spread: float, difference: float = 0.1, shown_for_each: float = 1.0
) -> int:
    """How many articles without proposals show a difference of means in POWER of cases, at the 5% level.

    The spreads are standard deviations between articles; `shown_for_each` articles with proposals come to each one
    without. Source: Cohen 1988, section 2.4.
    """
    factor = float(scipy.special.ndtri((1 + LEVEL) / 2) + scipy.special.ndtri(POWER)) / difference
    return ceil(factor**2 * (unshown_spread**2 + shown_spread**2 / shown_for_each))


def spread_of(articles: Sequence[ReadArticle]) -> float:
    """The standard deviation between articles of the share of proposals called key; SPREAD for too few articles."""
    if len(articles) < MIN_ARTICLES:
        return SPREAD
    return float(np.std([article.key_proposals / article.proposals for article in articles], ddof=1))
