"""Whether the review may stop: the articles that were drawn by lot, each with the facts known at its draw, and what the
stop rule says of them in words."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from annotate.project.words import count_of
from db.review.progress import Handed, KeyCounts
from model.review.stop_rule import FIRST_READ, TARGET, Found, History, articles_allowed, may_stop, outside_at_most
from model.review.stopping import Draw

# A draw from a pool that has grown by more than this share since says too little of the pool as it is now.
MOST_GROWTH = 0.1


@dataclass(frozen=True, slots=True)
class Lots:
    """The draws that count, in order; how many others are unfinished, and how many the pool has outgrown."""

    draws: list[Draw]
    unfinished: int
    outgrown: int


def random_draws(
    handed: Sequence[Handed], key: Mapping[int, int], since: Mapping[int, str], done_at: Mapping[int, str]
) -> Lots:
    """The draws by lot from the assignments, oldest first.

    key: key sentences by article of the pool; since: when each came into it; done_at: when the finished ones were. Some
    articles were not among the ones waiting: finished, in another's hands, or put aside by the expert who drew. Such an
    article counts as found before, with all that was found in it since. One that is unfinished, or that came into the
    pool later and still waits, is taken to be like the ones that waited.
    """
    pool = _PoolSoFar(handed, key, since, done_at)
    draws: list[Draw] = []
    unfinished = outgrown = 0
    for row in handed:
        if row.article_id not in key:
            continue
        if row.at_random and pool.is_first(row):
            before, more = pool.before(row)
            waiting = max(1, row.waiting) + more
            if row.article_id not in done_at:
                unfinished += 1
            elif more > MOST_GROWTH * waiting:
                outgrown += 1
            else:
                draws.append(Draw(waiting, before, 0 if pool.is_taken(row) else key[row.article_id]))
        pool.pass_on(row)
    return Lots(draws, unfinished, outgrown)


class _PoolSoFar:
    """The articles that have left the pool of waiting ones, updated by assignment, oldest first."""

    def __init__(
        self,
        handed: Sequence[Handed],
        key: Mapping[int, int],
        since: Mapping[int, str],
        done_at: Mapping[int, str],
    ) -> None:
        self._key, self._done_at = key, done_at
        self._finishing: dict[int, int] = {}
        for row in handed:
            if row.finished and done_at.get(row.article_id, "") >= row.created_at:  # not one that was done before
                self._finishing.setdefault(row.article_id, row.id)
        self._taken: set[int] = set()
        self._taken_key = 0
        self._with: dict[int, set[int]] = defaultdict(set)  # annotator -> articles that they left, not taken since
        self._given: set[tuple[int, int]] = set()
        self._in_hands: list[Handed] = []
        # Articles that were finished without an assignment: read or judged before there was a queue, or imported.
        others = [(i, at) for i, at in done_at.items() if i not in self._finishing]
        self._otherwise = _Sums([(max(at, since.get(i, at)), key[i]) for i, at in others])
        self._arrived_done = _Sums([(since[i], key[i]) for i in done_at if i in since])
        self._arrived_open = sorted(at for i, at in since.items() if i in key and i not in done_at)

    def is_first(self, row: Handed) -> bool:
        """Whether this expert is handed the article for the first time: a later assignment takes over its lot."""
        return (row.annotator_id, row.article_id) not in self._given

    def is_taken(self, row: Handed) -> bool:
        """Whether the article had been finished before, so that the draw found nothing new."""
        return row.article_id in self._taken or self._was_done(row.article_id, row.created_at)

    def before(self, row: Handed) -> tuple[int, int]:
        """Key sentences in articles that were not among the waiting ones; how many of these are unfinished."""
        now = row.created_at
        self._in_hands = [other for other in self._in_hands if other.ended_at is None or other.ended_at > now]
        aside = {other.article_id for other in self._in_hands if other.annotator_id != row.annotator_id}
        aside = (aside | self._with[row.annotator_id]) - self._taken - {row.article_id}
        aside = {number for number in aside if not self._was_done(number, now)}
        key = self._taken_key + self._otherwise.until(now) + self._arrived_done.after(now)
        key += sum(self._key[number] for number in aside if number in self._done_at)
        more = len(self._arrived_open) - bisect_right(self._arrived_open, now)
        return key, more + sum(number not in self._done_at for number in aside)

    def pass_on(self, row: Handed) -> None:
        """Takes the assignment into account for those that follow."""
        number = row.article_id
        self._given.add((row.annotator_id, number))
        if self._finishing.get(number) == row.id:
            self._taken.add(number)
            self._taken_key += self._key[number]
            for articles in self._with.values():
                articles.discard(number)
        elif number not in self._taken:
            # What only ran out, or was opened by its address and closed, waits again for the same expert, too.
            put_aside = self._with[row.annotator_id]
            (put_aside.add if row.left else put_aside.discard)(number)
            self._in_hands.append(row)

    def _was_done(self, number: int, now: str) -> bool:
        return number not in self._finishing and number in self._done_at and self._done_at[number] < now


class _Sums:
    """Sums of numbers by time."""

    def __init__(self, pairs: Sequence[tuple[str, int]]) -> None:
        ordered = sorted(pairs)
        self._times = [at for at, _ in ordered]
        self._sums = [0, *accumulate(number for _, number in ordered)]

    def until(self, time: str) -> int:
        """The sum of those before a time."""
        return self._sums[bisect_left(self._times, time)]

    def after(self, time: str) -> int:
        """The sum of those after a time."""
        return self._sums[-1] - self._sums[bisect_right(self._times, time)]


MISSED = f"{1 - TARGET:.0%}"


@dataclass(frozen=True, slots=True)
class Stop:
    """What the stop rule says of a review. It rests on `judged` articles in their order, `by_lot` of them drawn at
    random, and on `read` ones: with key sentences and read in full.

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
        rests = f"{count_of(self.judged, 'judged article')}, {self.by_lot:,} of them drawn at random"
        rests += f", and {self.read:,} read in full" if self.outside else ""
        if self.may_stop:
            return (
                f"You may stop: probably {MISSED} of all key sentences at most would be missed, those inside reviewed "
                f"articles among them (by {rests})."
            )
        if self.outside is None:
            return (
                f"Whether stopping now would miss more than {MISSED} is not known: it needs at least {FIRST_READ} "
                f"articles with key sentences that were read in full (F in the review), {self.read:,} so far."
            )
        if self.missed_inside:
            outside = f"{self.outside:.0%}"
            return (
                f"Do not stop yet: more than {MISSED} may be missed inside reviewed articles. Up to {outside} of the "
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
    """What the rule says once these articles, by id, are finished in this order. `whole` were read in full
    or labelled whole, `blind` came without proposals; all of one pool, by what was counted in each."""
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
