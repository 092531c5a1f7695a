"""Stop rules that reviewers know, as functions of a history: how many articles are judged when each stops."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import hypergeom

from model.review.stop_rule import ERROR, TARGET, History, allowed_of, may_stop

LOOKS = 10  # articles between two looks
# Boetje and van de Schoot 2024.
SAFE_SHARE, SAFE_RUN, SAFE_TIMES = 0.1, 50, 2


def keyline(history: History) -> int:
    """Where the rule of model.review.stop_rule stops, if an article is all that can be missed."""
    return _first(history, lambda now: may_stop(now, allowed_of(now.found)))


def hypergeometric(history: History) -> int:
    """Where the p value of Callaghan and Müller-Hansen 2020 is below ERROR: as if what was judged last were a sample.

    The smallest p over all moments: so few found since, in a sample of what waited then, if TARGET were just missed.
    """
    return _first(history, lambda now: _hypergeometric_p(now) < ERROR)


def _hypergeometric_p(history: History) -> float:
    found, judged = history.found, len(history.holds)
    if not found:
        return 1.0
    begins = np.concatenate([[0], np.flatnonzero(history.holds) + 1])
    since = found - np.arange(found + 1)
    there = allowed_of(found) + 1 + since
    probability = hypergeom.cdf(since, history.pool - begins, there, judged - begins)
    return float(np.where(there > history.pool - begins, 0.0, probability).min())


def safe(history: History) -> int:
    """Where the steps of SAFE would end active learning: a tenth of the pool and twice the number of relevant articles
    that the lots tell are judged, and the last 50 hold none. Its second model and its reading of the excluded are
    left out. Source: Boetje and van de Schoot 2024."""

    def ends(now: History) -> bool:
        judged, lots = len(now.holds), int(now.by_lot.sum())
        estimate = now.pool * int(now.holds[now.by_lot].sum()) / lots if lots else 0.0
        enough = judged >= max(SAFE_SHARE * now.pool, SAFE_TIMES * max(estimate, now.found))
        return bool(now.found and enough and judged >= SAFE_RUN and not now.holds[-SAFE_RUN:].any())

    return _first(history, ends)


def quantile(history: History, seed: int = 0) -> int:
    """Where the quantile rule with a binomial bound stops (Lewis, Yang and Frieder 2021, QBCB), its sample counted in.

    Articles are first drawn by lot until as many relevant ones are known as the bound needs at least, all of which must
    then be found by the order. The whole pool where it does not hold so many.
    """
    needed = int(np.ceil(np.log(ERROR) / np.log(TARGET)))  # 59
    drawn = np.random.default_rng(seed).permutation(len(history.holds))
    relevant = np.flatnonzero(history.holds[drawn])
    if len(relevant) < needed:
        return history.pool
    sample = drawn[: relevant[needed - 1] + 1]
    last = int(sample[history.holds[sample]].max())
    return last + 1 + int((sample > last).sum())


def _first(history: History, ends: Callable[[History], bool]) -> int:
    """The first look at which a rule ends the review; the whole pool where none does."""
    looks = range(LOOKS, len(history.holds), LOOKS)
    return next((judged for judged in looks if ends(history.until(judged))), history.pool)


RULES: dict[str, Callable[[History], int]] = {
    "keyline": keyline,
    "hypergeometric": hypergeometric,
    "safe": safe,
    "quantile": quantile,
}


@dataclass(frozen=True, slots=True)
class Stopped:
    """What a rule makes of a review: whether it reached TARGET, the recall, and the share of the pool left unread; all
    0 to 1."""

    reached: float
    recall: float
    saved: float


def stopped(history: History, judged: int) -> Stopped:
    """How a review whose whole history is known ends once so many are judged."""
    recall = int(history.holds[:judged].sum()) / history.found
    return Stopped(float(recall >= TARGET), recall, 1 - judged / history.pool)


def oracle(history: History) -> int:
    """How many are judged when TARGET is first reached: no rule can know it."""
    return int(np.argmax(np.cumsum(history.holds) >= TARGET * history.found)) + 1
