"""What people want to read next: articles that they put into the queue, for themselves or for everybody."""

from collections.abc import Collection
from typing import Any

from pydantic import Field
from sqlalchemy.orm import Session

import db.review.assignments
import db.rows
from annotate.project.acting import allowed
from annotate.project.rights import Right
from annotate.review.events import Event, Position, Refused
from annotate.review.verdicts import Recording, add_event, known_article
from annotate.review.waiting import Choice
from db.base import utc_now
from db.tables import Assignment, QueueRequest

ASKED_FOR = "asked for"
MAX_REASON = 80


class RequestEvent(Event):
    """What a page sends: an article that is to come next, or not after all, and why in words."""

    article: Position = Field(description="the article is not a number")
    value: bool = Field(description="wanted next is true or false")
    for_all: bool = Field(default=False, description="for everybody is true or false")
    reason: str = Field(default="", max_length=MAX_REASON, description=f"the reason has over {MAX_REASON} characters")


def store_request(by: Recording, sent: dict[str, Any]) -> None:
    """Stores that somebody wants an article next, within the transaction of a page's events.

    Raises Refused for an unknown article, and for everybody's queue without the right to set it.
    """
    event = RequestEvent.of(sent)
    known_article(by.session, event.article)
    if event.for_all and not allowed(by.session, Right.QUEUE):
        raise Refused(f"{by.annotator} may not {Right.QUEUE}")
    row = {
        "event_id": event.id,
        "annotator_id": by.annotator_id,
        "article_id": event.article,
        "for_all": event.for_all,
        "wanted": event.value,
        "reason": "".join(filter(str.isprintable, event.reason)),
        "assignments_before": db.rows.last_id(by.session, Assignment),
        "given_at": utc_now(),
    }
    add_event(by.session, QueueRequest, row)


def asked_for(session: Session, annotator_id: int, article_ids: Collection[int]) -> list[Choice]:
    """What this annotator is to get before all that a strategy would choose, among the articles that wait for them:
    what they put into the queue, and what others did for everybody, in the order in which it was asked for."""
    waiting = set(article_ids)
    return [
        Choice(found.article_id, ASKED_FOR, _words(found, annotator_id), None, False, None)
        for found in db.review.assignments.open_requests(session, annotator_id, waiting)
    ]


def _words(found: Any, annotator_id: int) -> str:
    who = f"{found.name} put it into the queue"
    if found.assigned_by:
        who = f"{found.assigned_by} assigned it to you"
    elif found.annotator_id == annotator_id:
        who = "you put it into your queue"
    return f"{who}: {found.reason}" if found.reason else who
