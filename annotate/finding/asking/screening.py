"""Screening: a pool ordered by what was included so far, some of it drawn by lot, and how much is probably left.

The lot is what the estimate goes by: articles that the order put first promised much, and say nothing of the rest.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from db.finding.questions import Judgement
from model.evaluation.intervals import Estimate
from model.review.stop_rule import History, allowed_of, may_stop
from model.review.stopping import MIN_DRAWS, Draw, estimated_total, unfound

# One of this many articles is drawn by lot: more often until there is an estimate at all.
DRAW_EVERY, FIRST_EVERY = 10, 5
# A draw counts for the pool that it was drawn from, not for one that has grown since by more than this share; those
# that are shown ahead are judged in any order.
GROWTH, AHEAD = 1.1, 20


@dataclass(frozen=True, slots=True)
class Next:
    """An article to screen; `waiting`, where it was drawn by lot, is from how many."""

    key: str
    waiting: int | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a screening is. `left`: how many relevant ones are probably not found yet, with a 95% interval; None
    before MIN_DRAWS were drawn by lot, of which `draws` were. `may_stop`: whether the stop rule says that 95% of the
    relevant ones are probably found. Both count unsure ones as relevant. `saved`: the share of the pool that need not
    be read if it ends here, 0 to 1."""

    pool: int
    judged: int
    relevant: int
    unsure: int
    draws: int
    left: Estimate | None
    may_stop: bool

    @property
    def to_draw(self) -> int:
        """How many more have to be drawn by lot before there is an estimate."""
        return max(0, MIN_DRAWS - self.draws)

    @property
    def recall(self) -> tuple[float, float] | None:
        """The least and the greatest share of the relevant and unsure ones that is probably found, 0 to 1, by the
        interval of `left`; None before there is an estimate, and before any is found."""
        kept = self.relevant + self.unsure
        return (kept / (kept + self.left.high), kept / (kept + self.left.low)) if kept and self.left else None

    @property
    def saved(self) -> float:
        """The share of the pool that is not judged."""
        return 1 - self.judged / self.pool if self.pool else 0.0


def whats_next(ordered: Sequence[str], judgements: Mapping[str, Judgement], seed: int, number: int) -> list[Next]:
    """The next articles to screen, at most `number`: by the order, and here and there one drawn by lot from all that
    are not judged. The same draw comes again until it is judged."""
    left = [key for key in ordered if key not in judgements]
    mine = _of_pool(ordered, judgements)
    drawn = len(_draws(mine, len(left)))
    taken: dict[str, Next] = {}
    queue = iter(left)
    while len(taken) < min(number, len(left)):
        judged = len(mine) + len(taken) + 1
        rarer = max(0, judged - FIRST_EVERY * MIN_DRAWS) // DRAW_EVERY
        if drawn < min(judged // FIRST_EVERY, MIN_DRAWS) + rarer:
            # A hash that no person has chosen: the lot stays the same while others are judged.
            lots = {sha256(f"{seed} {drawn} {key}".encode()).digest(): key for key in left if key not in taken}
            key = lots[min(lots)]
            taken[key] = Next(key, len(left) - len(taken))
            drawn += 1
        else:
            key = next(each for each in queue if each not in taken)
            taken[key] = Next(key, None)
    return list(taken.values())


def progress(pool: Collection[str], judgements: Mapping[str, Judgement]) -> Progress:
    """How far the screening of a pool is, by the judgements of its articles, in their order."""
    mine, size = _of_pool(pool, judgements), len(set(pool))
    most = size - len(mine)  # no more can be left than are not judged
    draws = _draws(mine, most)
    relevant, found = sum(each.grade > 0 for each in mine), sum(each.kept for each in mine)
    left = unfound(estimated_total(draws), found) if len(draws) >= MIN_DRAWS else None
    left = left and Estimate(*(min(value, most) for value in (left.value, left.low, left.high)))
    holds, by_lot = ([each.kept for each in mine], [each.waiting is not None for each in mine])
    history = History(size, np.array(holds, dtype=bool), np.array(by_lot, dtype=bool))
    stops = may_stop(history, allowed_of(found))
    return Progress(size, len(mine), relevant, found - relevant, len(draws), left, stops)


def _of_pool(pool: Collection[str], judgements: Mapping[str, Judgement]) -> list[Judgement]:
    wanted = set(pool)
    return [each for key, each in judgements.items() if key in wanted]


def _draws(mine: Sequence[Judgement], left: int) -> list[Draw]:
    """The draws that count for a pool of which `mine` are judged, in that order, and `left` articles are not."""
    draws, found = [], 0
    for place, each in enumerate(mine):
        waiting = left + len(mine) - place  # of this pool, when it was drawn
        if each.waiting and waiting <= each.waiting * GROWTH + AHEAD:
            draws.append(Draw(min(each.waiting, waiting), found, int(each.kept)))
        found += each.kept
    return draws
