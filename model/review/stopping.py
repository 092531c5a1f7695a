"""When to stop: how many key sentences are probably still to find, judged by the articles that were drawn at random.

Other articles were chosen because they promised much, so what they held says nothing of those that wait.
docs/stopping.md derives the estimate and gives its measured coverage.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from model.evaluation.intervals import LEVEL, Estimate, design_effect, others_by_share

MIN_DRAWS = 5  # below, the spread between draws is not known well enough for an interval
MIN_READ = 5
# The mean above which none would be seen in less than 1 - LEVEL of cases, the rule of three (Hanley and Lippman-Hand
# 1983).
NONE_SEEN = -math.log(1 - LEVEL)


@dataclass(frozen=True, slots=True)
class Draw:
    """One article that was drawn at random from those that waited.

    `waiting`: how many articles it was drawn from. `found_before`: the key sentences found in all articles that were
    finished before it. `key`: the key sentences found in this one.
    """

    waiting: int
    found_before: int
    key: int


def estimated_total(draws: Sequence[Draw], key_in_one: float = 1.0) -> Estimate:
    """The number of key sentences that a review of all articles would find, with its 95% interval.

    Each draw by itself gives an unbiased estimate: found before + waiting * key. The estimate is their mean, weighted
    by 1 / waiting^2, which is known before the draw. `key_in_one` is the mean number of key sentences in articles that
    hold any: with it the upper bound holds even where no draw found one.
    Raises ValueError for fewer than MIN_DRAWS draws. Sources: Des Raj 1956; Farquhar et al. 2021.
    """
    if len(draws) < MIN_DRAWS:
        raise ValueError(f"{len(draws)} random draws; needs at least {MIN_DRAWS}")
    waiting = np.array([draw.waiting for draw in draws], dtype=float)
    before = np.array([draw.found_before for draw in draws], dtype=float)
    key = np.array([draw.key for draw in draws], dtype=float)
    weights = waiting**-2 / (waiting**-2).sum()
    totals = before + waiting * key
    known, rest = float(weights @ before), float(weights @ (waiting * key))
    total, n = known + rest, len(draws)
    error = float(np.sqrt(n / (n - 1) * (weights**2 * (totals - total) ** 2).sum()))
    student = float(scipy.special.stdtrit(n - 1, (1 + LEVEL) / 2))
    # Few draws with much in them are as skewed as a gamma of that mean and variance. Where no draw held anything there
    # is no spread to estimate: then the rule of three bounds the articles that hold any.
    seen = key[key > 0]
    one = float((weights * waiting).max()) * max(1.0, float(seen.mean()) if seen.size else key_in_one)
    upper = max(rest + student * error, _gamma_upper(rest, student / 1.96 * error), one * NONE_SEEN)
    return Estimate(total, max(0.0, total - student * error), known + upper)


def _gamma_upper(mean: float, deviation: float) -> float:
    if mean <= 0 or deviation <= 0:
        return mean
    shape = (mean / deviation) ** 2
    return float(scipy.special.gammaincinv(shape, (1 + LEVEL) / 2)) * mean / shape


def unfound(total: Estimate, found: int) -> Estimate:
    """The rest of an estimated total once `found` were found; no bound is below 0."""
    return Estimate(*(max(0.0, value - found) for value in (total.value, total.low, total.high)))


def run_without(key: Sequence[int]) -> int:
    """How many articles at the end of a sequence, in the order in which they were finished, held nothing."""
    for back, number in enumerate(reversed(key)):
        if number:
            return back
    return len(key)


def missed_in_judged(read: Sequence[tuple[int, int]], proposed: int, added: int) -> Estimate | None:
    """Key sentences probably missed in articles of which only the proposals were judged, with a 95% interval.

    `read` has (key among the proposals, key added by the reader) of each article read in full; proposed and added are
    those found in the others. If q of the key sentences are not among the proposals, (proposed / (1 - q)) q - added
    are missed. The interval predicts their number, which chance moves even where q is known (`others_by_share`).
    None for fewer than MIN_READ such articles with a key sentence, or with none among the proposals.
    """
    of_key = [(more, shown + more) for shown, more in read if shown + more]
    if len(of_key) < MIN_READ or not any(more < size for more, size in of_key):
        return None
    more, size = [more for more, _ in of_key], [size for _, size in of_key]
    outside = others_by_share(proposed, sum(more), sum(size), added, design_effect(more, size))
    return unfound(outside, added)
