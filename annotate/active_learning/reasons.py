"""Why a strategy hands out an article, in words: each article is told by its own figure."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from model.active_learning.acquisition import STRATEGIES, Waiting
from model.evaluation.calibration import Platt

SHOWN = 0.05  # smaller numbers are told as 0.0
WIDE = 0.5  # an interval of a probability that is wider tells nothing
TOO_WIDE = "holds a sentence that the model knows too little to judge"


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """One chosen article: the pool it was chosen from, its place there, its acquisition score, and the calibration."""

    waiting: Waiting
    index: int
    score: float
    platt: Platt

    @property
    def rows(self) -> np.ndarray:
        """Its best sentences, shape (m, d)."""
        return np.asarray(self.waiting.rows[self.index][self.waiting.mask[self.index]])

    @property
    def p(self) -> np.ndarray:
        """How likely each of them is key, shape (m,)."""
        return self.platt.probability(self.waiting.head.log_odds(self.rows))


def reasons(
    strategy: str,
    waiting: Waiting,
    order: np.ndarray,
    scores: np.ndarray,
    platt: Platt | None,
) -> list[str]:
    """In at most 90 characters why each of these articles was chosen by a strategy: `order` as it was by `scores`."""
    tell = _REASONS.get(strategy)
    chosen = [Chosen(waiting, index, float(scores[index]), platt or Platt(1.0, 0.0)) for index in order.tolist()]
    return [tell(each) if tell else STRATEGIES[strategy].explanation for each in chosen]


def _of_score(of: Chosen) -> str:
    expected = f"{of.p.sum():.1f}"
    if of.p.sum() < SHOWN:
        return f"probably holds none: its best sentence is key with a chance of {of.p.max(initial=0.0):.1%}"
    return f"probably holds {expected} key sentence{'s' if expected != '1.0' else ''}"


def _of_committee(of: Chosen) -> str:
    """The sentence whose probability is the widest from the lower to the upper end of its interval."""
    log_odds, spread = of.waiting.head.log_odds(of.rows), np.sqrt(of.waiting.head.variance(of.rows))
    ends = np.sort([of.platt.probability(log_odds + side * 1.96 * spread) for side in (-1, 1)], axis=0)
    low, high = ends[:, np.ptp(ends, axis=0).argmax()]
    if high - low > WIDE:
        return TOO_WIDE
    return f"unsure of one sentence: {100 * low:.0f}–{high:.0%} likely key"


_REASONS: dict[str, Callable[[Chosen], str]] = {
    "score": _of_score,
    "committee": _of_committee,
}
