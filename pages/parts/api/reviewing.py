"""Routes of reviewers: verdicts as they were given, events to store, and the next article of the queue."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

import db.articles
from annotate.active_learning.queue import hand_out
from annotate.gold.practice import is_newcomer
from annotate.operations import prometheus
from annotate.project.acting import Auth, allowed, auth, current_actor, demand
from annotate.project.home import look_up, read
from annotate.project.refusals import note_refusal
from annotate.project.rights import Right
from annotate.review.assignments import finish_or_leave, reason_shown, why_empty
from annotate.review.blindness.released import given_after_release
from annotate.review.verdicts import record
from db.review.verdicts import all_verdicts
from pages.parts.api.shapes import (
    Cursor,
    Events,
    Handed,
    Limit,
    Listed,
    Number,
    Outcome,
    VerdictShape,
    cursor_of,
    place_of,
)

router = APIRouter(tags=["Reviewing"])


@router.get("/verdicts")
def verdicts(
    article: Annotated[int | None, Query(ge=1, lt=2**31, description="Of this article alone")] = None,
    after: Annotated[int, Query(ge=0, lt=2**31, description="Those stored after the verdict with this id")] = 0,
    limit: Limit = 500,
    cursor: Cursor = None,
) -> Listed[VerdictShape]:
    """Verdicts in the order in which they were stored; the last of a person on a sentence holds.

    One's own; everybody's for a caller who may see what everybody did.
    """
    name = f"verdicts {article or ''}"
    (begin,) = place_of(name, cursor) or (after,)
    with read() as session:
        demand(session, Right.REVIEW)
        person = None if allowed(session, Right.HISTORY) else current_actor().name
        found = all_verdicts(session, after=begin, limit=limit + 1, annotator=person, article_id=article)
        late = given_after_release(session, (row for row, _, _ in found))
    same = ("id", "role", "value", "origin", "given_at", "stored_at")
    rows = [
        VerdictShape(
            event=row.event_id,
            annotator=annotator,
            article=row.article_id,
            sentence=position,
            after_release=row.id in late,
            **{column: getattr(row, column) for column in same},
        )
        for row, annotator, position in found[:limit]
    ]
    return Listed(rows=rows, next=cursor_of(name, rows[-1].id) if len(found) > limit else None)


@router.post("/articles/{article_id}/events")
def save_events(article_id: Number, sent: Events) -> Outcome:
    """Stores events, as the reader's are: answered when they are on disk. An event that was sent before is named again
    and stored once; one that cannot be stored hinders no other.
    """
    stored, refused = record(current_actor().name, article_id, sent.events)
    if refused:
        note_refusal(f"events of a program: {len(refused)}, the first because {refused[0]['reason']}")
    prometheus.count_events(len(stored), len(refused))
    return Outcome.model_validate({"stored": stored, "refused": refused})


@router.post("/queue/next")
def next_article() -> Handed | None:
    """The article that the person is to work on next, in their hands from now on: the one in hand until it is done or
    left. Null where nothing waits; 409 for a person who has not been through the practice round.
    """
    if auth() is not Auth.OFF and look_up(is_newcomer, current_actor().name):
        raise HTTPException(409, "please do the practice round in Keyline before the first article")
    handed = hand_out(current_actor().name)
    if handed is None:
        return None
    title = look_up(db.articles.titles, [handed.article_id])[handed.article_id]
    return Handed(
        article=handed.article_id,
        title=title,
        reason=reason_shown(handed),
        with_proposals=handed.with_proposals,
        until=handed.leased_until,
    )


@router.post("/articles/{article_id}/leave", status_code=204)
def leave(article_id: Number) -> None:
    """Ends the work on an article: it is finished where it is done, else left for later."""
    finish_or_leave(current_actor().name, article_id)


@router.get("/queue")
def why_nothing_waits() -> dict[str, str]:
    """In words, why nothing waits for the person; the empty text where something does."""
    look_up(demand, Right.REVIEW)
    return {"why_empty": why_empty(current_actor().name)}
