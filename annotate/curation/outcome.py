"""What became of a wish for many articles: done for how many, left out how many and why."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

import db.articles
import db.curation

GONE, UNKNOWN = "removed from the project", "not stored"
# Articles in one transaction: some 10 ms of work. Between two of them a reviewer who waits gets in: the gate of
# writers would else go to the first that asks, which is the one who just left it.
BATCH_ARTICLES = 100
PAUSE_SECONDS = 0.005


@dataclass
class Outcome:
    """`asked` articles were named; it was done for those in `done`; `left_out` counts the others by reason, in words
    that follow their number: "removed from the project"."""

    asked: int
    done: list[int] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def leave_out(self, reason: str, article_ids: Collection[int]) -> None:
        """Counts these articles as left out, for this reason."""
        if article_ids:
            self.left_out[reason] += len(article_ids)

    def in_words(self, what: str) -> str:
        """As the pages and commands say it: "Tagged 3 of 10 articles. Left out: 7 tagged so already."."""
        words = f"{what} {len(self.done):,} of {self.asked:,} article{'' if self.asked == 1 else 's'}."
        if self.left_out:
            words += f" Left out: {'; '.join(f'{count:,} {reason}' for reason, count in self.left_out.items())}."
        return words


# What else is stored with each batch: the session, what became of it and of all before it, and the batch.
Kept = Callable[[Session, Outcome, Collection[int]], None]


def unwatched(_session: Session, _outcome: Outcome, _batch: Collection[int]) -> None:
    """Nothing else."""


def batches(article_ids: Collection[int], size: int = BATCH_ARTICLES) -> Iterator[list[int]]:
    """The ids in their order, each once, few at a time."""
    ordered = list(dict.fromkeys(article_ids))
    for start in range(0, len(ordered), size):
        if start:
            time.sleep(PAUSE_SECONDS)
        yield ordered[start : start + size]


def in_project(session: Session, article_ids: list[int], outcome: Outcome) -> list[int]:
    """The given ids that are articles of the project, in their order; the others are counted as left out."""
    stored = db.articles.titles(session, article_ids)
    gone = db.curation.removals_of(session, article_ids)
    outcome.leave_out(UNKNOWN, [number for number in article_ids if number not in stored])
    outcome.leave_out(GONE, list(gone))
    return [number for number in article_ids if number in stored and number not in gone]
