"""The standing of each article now: the probability that it holds a key sentence, or its place where none is known."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

import db.active_learning.screening
import db.rows
from annotate.project.memory import Latest
from db.tables import TriageFit
from model.active_learning.screening import cold_weights

PROBABILITY = (
    "The chance that the article holds any key sentence, learnt from articles judged before, never from this one."
)
MISSED = (
    " Of articles whose proposals were all rejected, {:.0%} hold one all the same, as reading in full has shown: the "
    "others teach by that."
)
PLACE = (
    "Its rank by the words of title and abstract. 1 is the most likely to hold a key sentence. Too few articles are "
    "judged for a probability."
)
# What an article without a score weighs in the queue: it was not read yet, and may hold anything.
UNKNOWN = 0.5


@dataclass(frozen=True, slots=True)
class Promise:
    """One article: the probability that it holds a key sentence, or its place where that is not calibrated."""

    probability: float | None
    place: int

    @property
    def words(self) -> str:
        """As people read it: "34%", or "12th most likely"."""
        return f"{self.probability:.0%}" if self.probability is not None else f"{_ordinal(self.place)} most likely"


def _ordinal(place: int) -> str:
    teens = 10 < place % 100 < 14
    return f"{place:,}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th')}"


def is_calibrated(session: Session) -> bool:
    """Whether the scores of now are probabilities."""
    fit = db.rows.find(session, TriageFit)
    return fit is not None and bool(fit.metrics.get("calibrated"))


def promises(session: Session, article_ids: Collection[int]) -> dict[int, Promise]:
    """The standing of these articles; articles not looked at yet are left out, and all where no standing differs."""
    if is_calibrated(session):
        rows = db.active_learning.screening.scores(session, article_ids)
        return {number: Promise(probability, 0) for number, _, _, probability in rows if probability is not None}
    places = db.active_learning.screening.places(session, article_ids)
    return {number: Promise(None, place) for number, place in places.items()}


def explanation(session: Session) -> str:
    """What the numbers of now mean, in one sentence or two."""
    if not is_calibrated(session):
        return PLACE
    fit = db.rows.find(session, TriageFit)
    missed = fit.counts.get("missed", 0.0) if fit is not None else 0.0
    return PROBABILITY + (MISSED.format(missed) if missed else "")


_weights: Latest[dict[int, float]] = Latest()


def weights(session: Session) -> dict[int, float]:
    """How much each article matters to the queue, 0 to 1: its probability; before there are any, by its cues, the
    best being 1. Remembered until scores change: 10,000 articles take 30 ms once."""
    return _weights.at(db.active_learning.screening.mark(session), lambda: _weights_now(session))


def _weights_now(session: Session) -> dict[int, float]:
    rows = db.active_learning.screening.scores(session)
    if is_calibrated(session):
        return {number: UNKNOWN if p is None else p for number, _, _, p in rows}
    by_cue = cold_weights(np.array([cue for _, _, cue, _ in rows])).tolist()
    return {row[0]: share for row, share in zip(rows, by_cue, strict=True)}
