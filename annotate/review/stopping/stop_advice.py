"""Whether the review may stop: the stop rule on what was finished, and what it says in words."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotate.project.words import count_of
from db.review.progress import KeyCounts
from model.review.stop_rule import FIRST_READ, TARGET, Found, History, articles_allowed, may_stop, outside_at_most

MISSED = f"{1 - TARGET:.0%}".replace("%", " %")


@dataclass(frozen=True, slots=True)
class Stop:
    """What the stop rule says of a review. `judged` articles in their order, `by_lot` of them drawn at random, and
    `read` ones with key sentences that were read in full are what it rests on.

    outside: the share of the key sentences that are not among the proposals, at most; 0 where every finished article
    was read in full, None where too few were. missed_inside: whether more than may be missed may be inside articles
    that were judged by their proposals.
    """

    may_stop: bool
    judged: int
    by_lot: int
    read: int
    outside: float | None
    missed_inside: bool

    @property
    def words(self) -> str:
        """What it means for the review, in a sentence or two."""
        rests = f"{count_of(self.judged, 'finished article')}, {self.by_lot:,} of them drawn at random"
        rests += f", and {self.read:,} read in full" if self.outside else ""
        if self.may_stop:
            return (
                f"You may stop: probably {MISSED} of all key sentences at most would be missed, those inside finished "
                f"articles among them (by {rests})."
            )
        if self.outside is None:
            return (
                f"Whether stopping now would miss more than {MISSED} is not known: it needs at least {FIRST_READ} "
                f"articles with key sentences that were read in full (F in the review), {self.read:,} so far."
            )
        if self.missed_inside:
            outside = f"{self.outside:.0%}".replace("%", " %")
            return (
                f"Do not stop yet: more than {MISSED} may be missed inside finished articles. Up to {outside} of the "
                f"key sentences are not among the proposals, by {count_of(self.read, 'article')} read in full. Read "
                "more in full (F in the review)."
            )
        return f"Go on: more than {MISSED} of all key sentences may still be missed (by {rests})."


def stop_of(
    pool: int,
    order: Sequence[int],
    by_lot: Collection[int],
    counts: Mapping[int, KeyCounts],
    whole: Collection[int],
    blind: Collection[int],
) -> Stop:
    """What the rule says once these articles, by id, are finished in this order. `whole` were read in full, `blind`
    came without proposals; all of one pool, by what was counted in each."""
    none = KeyCounts(0, 0, 0)
    of = {number: counts.get(number, none) for number in order}
    judged = [number for number in order if number not in whole and number not in blind]
    read = [(of[number].proposed, of[number].added) for number in order if number in whole and number not in blind]
    outside = outside_at_most(read) if judged else 0.0
    key = [of[number].key for number in order]
    rich = [number for number in key if number]
    added = sum(of[number].added for number in judged)
    proposed = sum(of[number].key for number in judged) - added
    found = Found(sum(key) - added - proposed, proposed, added, sum(rich) / len(rich) if rich else 1.0)
    allowed = articles_allowed(found, outside) if outside is not None and outside < 1 else -1
    history = History(pool, np.array(key, dtype=int) > 0, np.array([number in by_lot for number in order], dtype=bool))
    return Stop(
        may_stop=bool(rich) and may_stop(history, allowed),
        judged=len(order),
        by_lot=int(history.by_lot.sum()),
        read=sum(shown + more > 0 for shown, more in read),
        outside=outside,
        missed_inside=bool(rich) and allowed < 0,
    )
