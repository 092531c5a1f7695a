"""What the app keeps in memory to learn at once: a version's base head, and what stands for each article in the queue.

All of it follows from the database: a process that starts again ranks as the one before did.
"""

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from sqlalchemy.orm import Session
from threadpoolctl import threadpool_limits

import db.active_learning.heads
import db.registry
import db.review.assignments
import db.review.verdicts
import db.rows
from annotate.active_learning.article_features import candidates, rows_for
from annotate.active_learning.heads import (
    Base,
    Labelled,
    base_of,
    counts_of,
    insert,
    known_of,
    marks_of,
    may_teach,
    platt_of,
    row_of,
    usable_head,
)
from annotate.project.home import database, read
from annotate.project.memory import Memory
from annotate.project.stored_settings import settings_now
from annotate.review.assignments import clock_of
from annotate.review.queue_settings import QueueSettings
from db.tables import Head as HeadRow
from db.tables import ModelVersion
from model.active_learning.acquisition import article_vectors
from model.active_learning.head import Head, teach
from model.evaluation.calibration import Platt

# How much a verdict counts within the article that it was given in. Recall of the first ten sentences looked at, with
# a base of 5, 50 and 300 articles of Evidence Inference: docs/measurements/simulation.md.
LIVE_WEIGHT = 10.0
# Articles that a base does not know are learnt together with each finished one, in 10 to 30 ms; the next one more
# than this many makes a new base of all, in a second or two.
MOST_RECENT = 40


@dataclass(frozen=True, eq=False)
class Learnt:
    """A head of the moment: `counts` of all that it learnt from, and the article whose verdicts weigh more, if any."""

    head: Head
    counts: dict[str, int]
    article_id: int | None
    identity: tuple[Any, ...]

    @property
    def labels(self) -> int:
        """How many labels it learnt from."""
        return self.counts["key"] + self.counts["not_key"]


class State:
    """One version's base head and queue. `lock` guards what it remembers from call to call."""

    def __init__(self, session: Session, version: ModelVersion, row: HeadRow, base: Base | None = None) -> None:
        self.lock = threading.RLock()
        self.version = version
        self.path = database()
        self.row_id = row.id
        self.metrics = row.metrics
        self.marks = marks_of(row)
        self.ids, self.tops, self.rows, self.mask = candidates(session, version.id)
        self.place = {article_id: place for place, article_id in enumerate(self.ids.tolist())}
        self._may: dict[int, bool] = {}
        self._recent: tuple[Any, Head, dict[str, int]] | None = None
        self._stored: tuple[Any, int] | None = None
        self._begin(base or self._base_without(session, db.review.verdicts.touched(session, **self.marks)))

    def _base_without(self, session: Session, article_ids: Collection[int]) -> Base:
        base = base_of(session, self.version, self.marks, article_ids)
        assert base is not None  # a head is stored only where articles have rows
        return base

    def _begin(self, base: Base) -> None:
        self.base, self.base_ids, self.counts = base.head, frozenset(base.taught), base.counts
        self.stands_on = base.sample | self.base_ids
        self._recent = None

    @property
    def platt(self) -> Platt | None:
        """What makes its log odds calibrated probabilities; None where the labels were too few."""
        return platt_of(self.metrics)

    def learnt(self, session: Session, article_id: int | None = None) -> Learnt:
        """The head after all labels of now; the labels of this article weigh LIVE_WEIGHT, in any split.

        Articles that were touched since the base are taken out of it and learnt as they stand now: articles in no hands
        with all their sentences, articles under review with the judged ones only.
        """
        with self.lock:
            touched = db.review.verdicts.touched(session, **self.marks)
            if touched & self.base_ids:
                self._begin(self._base_without(session, touched))
            own = set() if article_id is None else {article_id}
            may = self._may_teach(session, touched - own)
            held = may & open_articles(session)
            known = known_of(session, may | own)
            head, counts = self._with_recent(session, sorted(may - held), known)
            rows = rows_for(session, self.version.id, held | own)
            open_ = [(number, known.taught(number, rows[number]).judged) for number in sorted(rows)]
            taught = [article for _, article in open_]
            weights = [np.full(len(a.labels), LIVE_WEIGHT if number in own else 1.0) for number, a in open_]
            if taught:
                truth = np.concatenate([article.truth for article in taught])
                head = head.learn(np.vstack([a.rows for a in taught]), truth, np.concatenate(weights))
            assert self._recent is not None
            identity = (self.row_id, self._recent[0], article_id, _facts_of(known, sorted(held | own)))
            return Learnt(head, _sum(counts, counts_of(taught)), article_id, identity)

    def _may_teach(self, session: Session, article_ids: set[int]) -> set[int]:
        if unknown := article_ids - set(self._may):
            allowed = may_teach(session, self.version, unknown)
            self._may |= {article_id: article_id in allowed for article_id in unknown}
        return {article_id for article_id in article_ids if self._may[article_id]}

    def _with_recent(
        self, session: Session, article_ids: Sequence[int], known: Labelled
    ) -> tuple[Head, dict[str, int]]:
        """The base after these articles, kept until one of their labels changes."""
        key = _facts_of(known, article_ids)
        if self._recent is None or self._recent[0] != key:
            rows = rows_for(session, self.version.id, [number for number in article_ids if number in known.article_ids])
            taught = [known.taught(number, own) for number, own in sorted(rows.items())]
            self._recent = key, teach(self.base, taught), _sum(self.counts, counts_of(taught))
        return self._recent[1:]

    def head_id(self, session: Session, learnt: Learnt) -> int:
        """The id of the row of this head, stored now unless it was the last one; in the caller's transaction."""
        with self.lock:
            if self._stored is not None and self._stored[0] == learnt.identity:
                return self._stored[1]
        counts = {"base": False, "base_head": self.row_id, "article": learnt.article_id, **learnt.counts}
        counts |= db.review.verdicts.last_events(session)
        return db.rows.add(session, row_of(self.version.id, learnt.head, counts, {})).id

    def remember(self, learnt: Learnt, head_id: int) -> None:
        """The row of this head is on disk."""
        with self.lock:
            self._stored = learnt.identity, head_id

    def refresh(self, session: Session, article_id: int) -> bool:
        """Takes over an article's new rows; False where that needs a new state."""
        with self.lock:
            _, tops, rows, mask = candidates(session, self.version.id, [article_id])
            if article_id in self.stands_on or article_id not in self.place or not len(rows):
                return False
            place = self.place[article_id]
            self.tops[place], self.rows[place], self.mask[place] = tops[0], rows[0], mask[0]
            self._recent = None
            return True

    def vectors(self, article_ids: Collection[int]) -> np.ndarray:
        """The vectors of those articles that have features, shape (b, PROJECTIONS)."""
        places = [self.place[article_id] for article_id in sorted(article_ids) if article_id in self.place]
        return article_vectors(self.rows[places], self.mask[places])

    @property
    def is_due(self) -> bool:
        """Whether a new base is due, since more than MOST_RECENT articles came to it."""
        recent = self._recent
        return recent is not None and len(recent[0]) > MOST_RECENT


def _facts_of(known: Labelled, article_ids: Sequence[int]) -> tuple[Any, ...]:
    """The known facts of articles, to be compared; articles without any are left out."""
    return tuple(
        (number, number in known.read, tuple(sorted(known.labels.get(number, {}).items())))
        for number in article_ids
        if number in known.article_ids
    )


def _sum(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    return {name: first[name] + second[name] for name in first}


def open_articles(session: Session) -> set[int]:
    """The articles in anybody's hands."""
    leases = db.review.assignments.leases(session, clock_of(settings_now(session, QueueSettings)))
    return {row.article_id for row, _, _ in leases}


_states: Memory[str, State] = Memory(1)  # "now"; one is large, and a process serves one data folder
# A thread may wait for `_building` inside a write transaction. So what runs under `_building` must never ask for a
# write transaction itself: the two threads would wait for each other.
_building = threading.Lock()
_renewing = threading.Lock()


def state_of(session: Session) -> State | None:
    """The state of the proposing version, made where there is none or a newer base was stored: a second or two.

    None before the propose job has stored a base head of this release's columns.
    """
    _one_core()
    version = db.registry.encoder_in_use(session)
    row = usable_head(db.active_learning.heads.latest_base(session, version.id)) if version else None
    if version is None or row is None:
        return None
    kept = _states.here().get("now")
    if kept is None or kept.row_id != row.id:
        with _building:
            kept = _states.here().get("now")
            if kept is None or kept.row_id < row.id or kept.version.id != version.id:
                kept = State(session, version, row)
                _keep(kept)
    return kept


@lru_cache(maxsize=1)
def _one_core() -> None:
    """Keeps products of matrices in this process on one core from now on. They are small: a second core gains little
    where it is idle, and where a training has both, waiting for it takes ten times as long."""
    threadpool_limits(1)


def _keep(state: State) -> None:
    _states.of(state.path)["now"] = state


def forget() -> None:
    """Drops the state; the next question makes it again."""
    _states.forget()


def prepare() -> None:
    """Makes the state and learns, so that no holder of a write transaction has to wait for it."""
    with read() as session:
        if state := state_of(session):
            state.learnt(session)


def renew_base(state: State) -> None:
    """Stores a base of all labels of now where one is due, and begins again from it; no other work waits meanwhile."""
    if not state.is_due or not _renewing.acquire(blocking=False):
        return
    try:
        with read() as session:
            marks = db.review.verdicts.last_events(session)
            base = base_of(session, state.version, marks)
        if base is not None:
            row = insert(state.version.id, base.head, {"base": True, **marks, **base.counts}, state.metrics)
            with read() as session:
                _keep(State(session, state.version, row, base))
    finally:
        _renewing.release()


def keep_up(article_ids: Collection[int]) -> None:
    """Takes over the new rows of these articles, as after a change of their document labels."""
    state = _states.here().get("now")
    with read() as session:
        if state is not None and not all(state.refresh(session, article_id) for article_id in article_ids):
            forget()
