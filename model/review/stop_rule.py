"""The stop rule: whether a review may stop, because it is unlikely that more than a share of all is still missed.

It looks back from where the review is now: had so much been left, would so little have been found since? It takes the
order for better than chance by the square root of what it was, so that a poor order is trusted little.
docs/stopping.md says how often the rule held in replays.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from model.evaluation.intervals import design_effect, wilson

TARGET = 0.95  # the share to be found: systematic reviews commonly ask for it (Cormack and Grossman 2016)
ERROR = 0.05
INSIDE_ERROR = 0.025  # of the share of key sentences outside the proposals, spent over looks
# Both chosen on half of the replayed reviews (docs/measurements/estimates.md).
LOOKED_BACK = 2 / 3  # the part of what was found by which the order is judged
LEAST_FOUND = 5
FIRST_READ = 5  # articles read in full: the share is looked at with 5, 10, 20, 40 and so on
_DUST = 1e-9


@dataclass(frozen=True, eq=False, slots=True)
class History:
    """The judged articles of a pool in their order: whether each holds any, and was drawn by lot; both bool (n,)."""

    pool: int
    holds: np.ndarray
    by_lot: np.ndarray

    def until(self, judged: int) -> "History":
        """The history when so many were judged."""
        return History(self.pool, self.holds[:judged], self.by_lot[:judged])

    @property
    def found(self) -> int:
        """How many of the judged articles hold any."""
        return int(self.holds.sum())

    @property
    def waiting(self) -> np.ndarray:
        """From how many articles each was taken, (n,)."""
        return self.pool - np.arange(len(self.holds))


def doubt(history: History, left: int) -> float:
    """How likely so little would have been found since some moment, had `left` articles or more been left now: 0 to 1.

    The smallest probability over all moments after an article that holds any, and the beginning. Of the articles left
    at such a moment, each was found since with the probability that the lots and the order give. So the number found is
    binomial. 1 where nothing was found yet, 0 where fewer than `left` wait.
    """
    found = history.found
    if not found:
        return 1.0
    if left > history.pool - len(history.holds):
        return 0.0
    waiting = history.waiting
    each = -np.log1p(-1 / np.maximum(waiting, 1 + _DUST))
    better = math.sqrt(_times_better(history, left))
    passed = np.concatenate([[0.0], np.cumsum(np.where(history.by_lot, each, better * each))])
    begins = np.concatenate([[0], np.flatnonzero(history.holds) + 1])
    since = found - np.arange(found + 1)
    probability = scipy.special.bdtr(since, since + left, -np.expm1(passed[begins] - passed[-1]))
    return float(probability.min())


def _times_better(history: History, left: int) -> float:
    """How many times as often as by lot the order found an article that holds any, 1 or more.

    Judged since the last LOOKED_BACK of them began, if `left` are left now; 1 before LEAST_FOUND were found.
    """
    found = history.found
    if found < LEAST_FOUND:
        return 1.0
    back = max(LEAST_FOUND, round(LOOKED_BACK * found))
    begin = int(np.flatnonzero(history.holds)[found - 1 - back]) + 1 if found > back else 0
    ordered = ~history.by_lot[begin:]
    before = (np.cumsum(history.holds) - history.holds)[begin:]
    by_chance = float(((found + left - before) / history.waiting[begin:])[ordered].sum())
    hits = int(history.holds[begin:][ordered].sum())
    return max(1.0, hits / by_chance) if by_chance else 1.0


def may_stop(history: History, allowed: int) -> bool:
    """Whether more than `allowed` articles with any are unlikely to be left."""
    return allowed >= 0 and doubt(history, allowed + 1) <= ERROR


def allowed_of(found: int) -> int:
    """How many may be left once so many were found, that the target is met all the same."""
    return math.floor(found / TARGET + _DUST) - found


@dataclass(frozen=True, slots=True)
class Found:
    """Key sentences found: in articles read in full; in the others among the proposals, and added to them; and in the
    mean of the articles that hold any."""

    read: int
    proposed: int
    added: int
    in_one: float

    @property
    def all(self) -> int:
        """All key sentences found."""
        return self.read + self.proposed + self.added


def articles_allowed(found: Found, outside: float) -> int:
    """How many articles that hold any may be left, that TARGET of all key sentences are found all the same.

    `outside`: the share of the key sentences that are not among the proposals, at most, below 1; 0 where every article
    is read in full. Below 0 where more are missed inside judged articles than may be.
    """
    inside = 1 - outside
    room = found.all / TARGET - found.read - max(found.proposed / inside, found.proposed + found.added)
    return math.floor(room * inside / max(1.0, found.in_one) + _DUST)


def outside_at_most(read: Sequence[tuple[int, int]]) -> float | None:
    """The share of key sentences that are not among the proposals, at most, 0 to 1.

    `read` has (key among the proposals, key added by the reader) of each article read in full, in their order. It is
    looked at whenever their number has doubled, and the error is spent over these looks. None before the first look.
    """
    some = [(added, shown + added) for shown, added in read if shown + added]
    most: float | None = None
    look, size = 1, FIRST_READ
    while size <= len(some):
        hits, sizes = zip(*some[:size], strict=True)
        design = design_effect(hits, sizes)
        # Half of the error for the first look, a sixth for the second; two of it for an interval with two ends.
        level = 1 - 2 * INSIDE_ERROR / (look * (look + 1))
        upper = wilson(sum(hits) / design, sum(sizes) / design, level).high
        most = upper if most is None else min(most, upper)
        look, size = look + 1, 2 * size
    return most
