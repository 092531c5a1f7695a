"""The articles that were drawn by lot, each with the facts known at its draw: the basis of the stop rule."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from db.review.progress import Handed
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

    key: key sentences by article of the pool; since: when each came into it; done_at: when the finished ones were. An
    article that was not among those waiting (finished, in another's hands, or put aside by the expert who drew) counts
    as found before, with all that was found in it since. An unfinished one of them, and one that came into
    the pool later and still waits, is taken to be like those that waited.
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
            if row.finished:
                self._finishing.setdefault(row.article_id, row.id)
        self._taken: set[int] = set()
        self._taken_key = 0
        self._with: dict[int, set[int]] = defaultdict(set)  # annotator -> articles that they left, not taken since
        self._given: set[tuple[int, int]] = set()
        self._in_hands: list[Handed] = []
        # Articles that were finished without an assignment: read or judged before there was a queue, or imported.
        self._otherwise = _Sums([(at, key[i]) for i, at in done_at.items() if i not in self._finishing])
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
