"""The state that found articles have for a person: theirs, waiting, reviewed, wanted next. Of other people's judgements
it tells only that an article is done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy.orm import Session

import db.finding.indexed
import db.finding.questions
import db.review.assignments
import db.review.verdicts
from annotate.review.assignments import standing_of
from annotate.review.blindness.released import sight_of
from annotate.review.waiting import reviewed as reviewed_articles


class State(StrEnum):
    """What an article is to a reviewer, as they read it."""

    MINE = "reviewed by you"
    DONE = "reviewed"
    LABELLED = "labelled at import"
    HELD = "with other people"
    WAITING = "waits for review"
    SET_ASIDE = "set aside by its tags"
    NO_PROPOSALS = "no proposals yet"
    OUTSIDE = "not here yet"


class Reviewed(StrEnum):
    """Which articles a list is narrowed to."""

    ALL = "reviewed or not"
    OPEN = "not reviewed by me"
    MINE = "reviewed by me"
    BEGUN = "judged by me"
    UNTOUCHED = "not judged by me"


@dataclass(frozen=True, slots=True)
class Standings:
    """For one reviewer: the state of every stored article with proposals, what they themselves asked for, and the
    articles in which they judged any sentence."""

    states: Mapping[int, State]
    queued: frozenset[int]
    judged: frozenset[int] = frozenset()

    def of(self, article_id: int | None) -> State:
        """The state of an article; None is one from outside."""
        return State.OUTSIDE if article_id is None else self.states.get(article_id, State.NO_PROPOSALS)


def standings(session: Session, reviewer: str) -> Standings:
    """How all articles stand for a reviewer now."""
    found = standing_of(session, reviewer)
    states = dict.fromkeys(found.waiting, State.WAITING) | dict.fromkeys(found.held, State.HELD)
    states |= dict.fromkeys(found.set_aside, State.SET_ASIDE)
    labelled = reviewed_articles(session, sight_of(session, reviewer)).labelled
    states |= {number: State.LABELLED if number in labelled else State.DONE for number in found.elsewhere}
    states |= dict.fromkeys(found.done, State.MINE)
    number = db.review.verdicts.find_annotator(session, reviewer) or 0
    queued = frozenset(each.article_id for each in db.review.assignments.open_requests(session, number, own=True))
    return Standings(states, queued, frozenset(db.review.verdicts.judged_articles(session, annotator=number)))


def narrowed(
    session: Session,
    keys: Sequence[str],
    known: Standings,
    *,
    full_text: bool = False,
    reviewed: Reviewed = Reviewed.ALL,
) -> Sequence[str]:
    """The wanted keys, in their order: with full text only, reviewed or not by the person of `known`."""
    if not full_text and reviewed is Reviewed.ALL:
        return keys
    facts = db.finding.questions.facts(session, keys)
    found = [key for key in keys if key in facts and (facts[key][1] or not full_text)]
    if reviewed is Reviewed.ALL:
        return found
    if reviewed in (Reviewed.BEGUN, Reviewed.UNTOUCHED):
        return [key for key in found if (facts[key][0] in known.judged) == (reviewed is Reviewed.BEGUN)]
    return [key for key in found if (known.of(facts[key][0]) is State.MINE) == (reviewed is Reviewed.MINE)]
