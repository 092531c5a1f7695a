"""What people say of articles that were found: relevant or not, each for their own question. Append-only."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field
from sqlalchemy.orm import Session

import db.finding.questions
from annotate.finding.asking.saved import NotYours, demand_own
from annotate.project.rights import Right
from annotate.review.events import Event, Position, Refused
from annotate.review.requests import store_request
from annotate.review.verdicts import Recording, add_event, record_each
from db.base import utc_now
from db.finding.questions import Said
from db.tables import Relevance

GRADES: dict[str, int | None] = {"relevant": 1, "not": 0, "": None}
MAX_KEY = 200


class RelevanceEvent(Event):
    """What a page sends of an article: relevant, not, or taken back; from how many it was drawn, where by lot."""

    value: Literal["relevant", "not", ""] = Field(description="it is neither relevant, nor not, nor taken back")
    key: str = Field(min_length=1, max_length=MAX_KEY, description=f"a key has 1 to {MAX_KEY} characters")
    waiting: Position | None = Field(default=None, description="from how many it was drawn is no number")


def record(annotator: str, question_id: int, events: Sequence[Any]) -> tuple[list[str], list[dict[str, str | None]]]:
    """Stores what a page of Find sends, as annotate.review.verdicts does: the ids on disk, {id, reason} of the refused.

    An event is {id, kind: "relevance", key, value, waiting} or {id, kind: "queue", article, value, for_all, reason}.
    One that was sent before is stored once. Relevance is refused for a question of another person.
    """
    return record_each(annotator, events, Right.REVIEW, lambda by, event: _store(by, question_id, event))


def _store(by: Recording, question_id: int, sent: dict[str, Any]) -> None:
    if sent.get("kind") == "queue":
        store_request(by, sent)
    elif sent.get("kind") == "relevance":
        _store_relevance(by, question_id, RelevanceEvent.of(sent))
    else:
        raise Refused("the kind of event is none of queue, relevance")


def _store_relevance(by: Recording, question_id: int, event: RelevanceEvent) -> None:
    try:
        demand_own(by.session, question_id, by.annotator)
    except NotYours as error:
        raise Refused(str(error)) from None
    if not event.key.isprintable():
        raise Refused("a key that cannot be printed")
    row = {
        "event_id": event.id,
        "question_id": question_id,
        "annotator_id": by.annotator_id,
        "article_key": event.key,
        "grade": GRADES[event.value],
        "waiting": event.waiting,
        "given_at": utc_now(),
    }
    add_event(by.session, Relevance, row)


def judged(session: Session, question_id: int, annotator: str) -> dict[str, Said]:
    """What this person says now of articles for a question, by key, in the order in which it was said."""
    return {said.key: said for said in db.finding.questions.current_relevance(session, question_id, annotator)}
