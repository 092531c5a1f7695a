"""What reviewers do: events of the page become append-only rows, each stored once, in order, or refused; and undo."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from itsdangerous import BadSignature, SignatureExpired, URLSafeTimedSerializer
from pydantic import Field
from sqlalchemy.orm import Session

import db.articles
import db.proposing
import db.review.assignments
import db.review.verdicts
import db.rows
import db.team.history
from annotate.articles.document_labels import labels_of
from annotate.project.acting import Actor, Auth, allowed, auth, current_actor, demand, own_name
from annotate.project.home import signing_secret, write, write_together
from annotate.project.rights import Right
from annotate.review.assignments import needs_renewal, renew
from annotate.review.events import (
    CommentEvent,
    Event,
    LabelsEvent,
    Position,
    ReadingEvent,
    Refused,
    Shown,
    VerdictEvent,
    clean_comment,
    event_of,
)
from annotate.review.sentence_labels import parse_sentence_labels
from annotate.review.waiting import Choice
from annotate.topics.project_topic import topic_now
from db import tables
from db.base import stamp, utc_now
from db.engine import DATABASE_ERRORS, lost_connection
from db.tables import Assignment, QueueRequest, Verdict
from db.values import Origin, Value, VerdictRole

# A working day. A page that is open longer says so and keeps its verdicts until it is loaded again.
SIGNATURE_SECONDS = 12 * 3600
MAX_EVENTS = 500


class Expired(PermissionError):
    """The signature is genuine but too old; loading the page again gives a fresh one."""


class Signed(StrEnum):
    """What the number in a token is of: a token of one kind opens nothing of the other."""

    ARTICLE = "review"
    QUESTION = "find"


def _serializer(of: Signed) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(signing_secret(), salt=of)


def sign(annotator: str, number: int, of: Signed = Signed.ARTICLE) -> str:
    """A token that lets this annotator send events about this article, or question, for SIGNATURE_SECONDS, as the
    current actor.

    Raises Forbidden for the name of another.
    """
    actor = current_actor()
    return _serializer(of).dumps([own_name(annotator), number, actor.account_id, actor.epoch, actor.login_id])


def check_signature(token: str, of: Signed = Signed.ARTICLE) -> tuple[Actor, int]:
    """(who acts, number) of a token of this kind. Raises Expired, or BadSignature for a forged one.

    Without login it is the only user, who may do everything; else a person, asked for their role with every right.
    """
    try:
        annotator, number, account_id, epoch, login_id = _serializer(of).loads(token, max_age=SIGNATURE_SECONDS)
    except SignatureExpired as error:
        raise Expired("the page was opened too long ago") from error
    except (TypeError, ValueError) as error:
        raise BadSignature(str(error)) from error
    return Actor(annotator, account_id, epoch, operator=auth() is Auth.OFF, login_id=login_id), number


def record(annotator: str, article_id: int, events: Sequence[Any]) -> tuple[list[str], list[dict[str, str | None]]]:
    """Stores the events of one page; returns the ids now on disk, and {id, reason} of those refused.

    The transaction has committed, with its fsync, before this returns. An event that was sent before is
    acknowledged again and stored once; one that says something else under its id is refused. A malformed event never
    hinders the others. The annotator's lease of the article is renewed, also where there are no events: the page's
    sign of life.
    """
    return record_each(
        annotator,
        events,
        Right.REVIEW,
        lambda by, event: _store(by, article_id, event),
        afterwards=lambda by: _renew(by, article_id),
    )


class Recording:
    """Whose events are stored, within one write transaction."""

    def __init__(self, session: Session, annotator: str) -> None:
        self.session = session
        self.annotator = annotator

    @cached_property
    def annotator_id(self) -> int:
        """The annotator's id; they are made one where they are new."""
        return db.review.verdicts.annotator_id(self.session, self.annotator)


def record_each(
    annotator: str,
    events: Sequence[Any],
    right: Right,
    store: Callable[[Recording, dict[str, Any]], None],
    afterwards: Callable[[Recording], None] = lambda by: None,
) -> tuple[list[str], list[dict[str, str | None]]]:
    """Calls `store` for each event with a sound id, then `afterwards`, in one transaction.

    Returns as `record` does; `store` raises Refused for what it will not take. Raises Forbidden without the right.
    Where the server ended the connection all is done once more: an event that did get stored is not stored again.
    """

    def store_all(session: Session) -> tuple[list[str], list[dict[str, str | None]]]:
        by = Recording(session, own_name(annotator))
        outcome = _stored_each(by, events[:MAX_EVENTS], store)
        afterwards(by)
        return outcome

    try:
        return write_together(right, store_all)
    except DATABASE_ERRORS as error:
        if not lost_connection(error):
            raise
        return write_together(right, store_all)


def _stored_each(
    by: Recording, events: Sequence[Any], store: Callable[[Recording, dict[str, Any]], None]
) -> tuple[list[str], list[dict[str, str | None]]]:
    stored: list[str] = []
    refused: list[dict[str, str | None]] = []
    for event in events:
        event_id = event.get("id") if isinstance(event, dict) else None
        try:
            Event.of(event)
            store(by, event)
        except Refused as error:
            # Half of a surrogate pair cannot be sent back.
            named = event_id.encode(errors="replace").decode() if isinstance(event_id, str) else None
            refused.append({"id": named, "reason": str(error)})
        else:
            stored.append(event["id"])
    return stored, refused


def _renew(by: Recording, article_id: int) -> None:
    # Outside the savepoint no trouble may be passed over: PostgreSQL would roll back where it is told to commit.
    if not needs_renewal(by.session, by.annotator, article_id):
        return
    # A lease is a courtesy between experts: no trouble with it may cost a verdict.
    with suppress(*DATABASE_ERRORS), by.session.begin_nested():
        renew(by.session, by.annotator_id, article_id)


def _values(event: VerdictEvent) -> dict[str, Any]:
    """The values of a verdict's row, without the columns that place it."""
    shown = event.shown or Shown()
    return {
        "value": str(event.value),
        "origin": Origin.PROPOSED if event.shown else Origin.ADDED,
        "rank": shown.rank,
        "cosine": shown.cosine,
        "ranking": shown.ranking,
        "version": shown.model,
    }


def _verdict(by: Recording, article_id: int, event: VerdictEvent) -> dict[str, Any]:
    shown = event.shown or Shown()
    return _values(event) | {
        "sentence_id": sentence_id(by.session, article_id, event.sentence),
        "proposal_set_id": db.proposing.set_of(by.session, article_id, shown.set),
    }


def _labels(by: Recording, article_id: int, event: LabelsEvent) -> dict[str, Any]:
    """The annotator's verdict on the sentence once more, with labels of its own."""
    place = sentence_id(by.session, article_id, event.sentence)
    verdict = db.rows.find(by.session, Verdict, event_id=event.id) or db.review.verdicts.latest_of(
        by.session, by.annotator_id, place
    )
    if verdict is None or verdict.value != Value.ACCEPT:
        raise Refused("only a key sentence has names of its own")
    topic = topic_now(by.session)
    given = {kind: names for kind, names in (verdict.labels or {}).items() if kind not in topic.keys}
    if event.value is not None:
        try:
            given |= parse_sentence_labels(event.value, topic, labels_of(by.session, [article_id])[article_id])
        except ValueError as error:
            raise Refused(str(error)) from None
    return taken_over(verdict) | {"sentence_id": place, "value": verdict.value, "labels": given or None}


_TAKEN_OVER = ("origin", "rank", "cosine", "ranking", "version", "labels", "proposal_set_id")


def taken_over(verdict: Verdict) -> dict[str, Any]:
    """What a verdict on the same sentence takes over: how it came up, what the screen showed, and what it is about."""
    return {name: getattr(verdict, name) for name in _TAKEN_OVER}


def _comment(by: Recording, article_id: int, event: CommentEvent) -> dict[str, Any]:
    text = clean_comment(event.value)
    if event.sentence is None:
        known_article(by.session, article_id)
        return {"sentence_id": None, "text": text}
    return {"sentence_id": sentence_id(by.session, article_id, event.sentence), "text": text}


def _reading(by: Recording, article_id: int, event: ReadingEvent) -> dict[str, Any]:
    count = known_article(by.session, article_id).sentence_count
    # What was on the screen: text that came later was not read.
    shown = event.shown.sentences if event.shown else None
    return {"in_full": event.value, "sentence_count": count if shown is None else min(shown, count)}


# By the kind of event: the table that it is stored in, and what makes the values of its row.
_ROWS: dict[str, tuple[type, Callable[[Recording, int, Any], dict[str, Any]]]] = {
    "verdict": (tables.Verdict, _verdict),
    "labels": (tables.Verdict, _labels),
    "comment": (tables.Comment, _comment),
    "read": (tables.Reading, _reading),
}


def _store(by: Recording, article_id: int, sent: dict[str, Any]) -> None:
    kind, event = event_of(sent)
    table, values = _ROWS[kind]
    if isinstance(event, VerdictEvent) and _stored_at_once(by, article_id, event):
        return
    row = {
        "event_id": event.id,
        "annotator_id": by.annotator_id,
        "article_id": article_id,
        "given_at": _given_at(event.time),
        **values(by, article_id, event),
    }
    add_event(by.session, table, row)


def _stored_at_once(by: Recording, article_id: int, event: VerdictEvent) -> bool:
    """Stores a verdict in one statement; False where it was not stored, and why not remains to be found out."""
    row = {"event_id": event.id, "given_at": _given_at(event.time), "stored_at": utc_now(), **_values(event)}
    return db.review.verdicts.add_verdict(
        by.session,
        row,
        annotator=by.annotator,
        article_id=article_id,
        position=event.sentence,
        set_id=event.shown.set if event.shown else None,
    )


def add_event(session: Session, table: type, row: dict[str, Any]) -> None:
    """Stores an event; one that is stored already stays as it is. Raises Refused where its id stands for another."""
    if not db.review.verdicts.add_event(session, table, row):
        raise Refused("this id was used for something else, which stands; nothing was changed")


def known_article(session: Session, article_id: int) -> tables.Article:
    """The article with this id. Raises Refused where there is none."""
    article = db.articles.article(session, article_id)
    if article is None:
        raise Refused(f"no article {article_id}")
    return article


def sentence_id(session: Session, article_id: int, position: int) -> int:
    """The id of the sentence at a position. Raises Refused where the article has none there."""
    found = db.review.verdicts.sentence_exists(session, article_id, position)
    if found is None:
        raise Refused(f"the article has no sentence {position}")
    return found


def _given_at(seconds: Any) -> str:
    try:
        given = datetime.fromtimestamp(float(seconds), UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        given = datetime.now(UTC)
    return stamp(given)


def why_not_undo(session: Session, by: str, verdict_id: int) -> str | None:
    """Why this person cannot undo this verdict, in words; None where they can."""
    found = db.team.history.verdict(session, verdict_id)
    if found is None:
        return f"There is no verdict {verdict_id}."
    verdict, name = found
    if name != by:
        return f"It is {name}'s verdict; only {name} can undo it."
    if not db.team.history.is_current(session, verdict):
        return "It does not count any more: something else has been said since."
    if verdict.value == Value.WITHDRAWN and db.team.history.previous_verdict(session, verdict) is None:
        return "Nothing was said before it."
    return None


def undo(by: str, verdict_id: int, event_id: str) -> None:
    """Takes a verdict of one's own back, while it counts: what this person had said before it counts again.

    An adjudicator's decision (needs that right) gives way to their own before it; where the one before was another's,
    or none, the sentence is undecided: no name stands for what that person did not decide. The same event again
    changes nothing. Raises Refused, saying why not.
    """
    with write(Right.REVIEW) as session:
        annotator_id = db.review.verdicts.annotator_id(session, own_name(by))
        found = db.team.history.verdict(session, verdict_id)
        stored = db.rows.find(session, Verdict, event_id=event_id)
        if stored and found:
            if (stored.annotator_id, stored.sentence_id) != (annotator_id, found[0].sentence_id):
                raise Refused("this event id was used for another event")
            return
        if reason := why_not_undo(session, by, verdict_id):
            raise Refused(reason)
        assert found is not None
        if found[0].role == VerdictRole.ADJUDICATOR:
            demand(session, Right.ADJUDICATE)
        db.rows.add_new(session, Verdict, [_restoring(session, found[0], event_id)])


def _restoring(session: Session, undone: Verdict, event_id: str) -> dict[str, object]:
    before = db.team.history.previous_verdict(session, undone)
    if before is not None and before.annotator_id != undone.annotator_id:
        before = None
    return {
        "event_id": event_id,
        "annotator_id": undone.annotator_id,
        "article_id": undone.article_id,
        "sentence_id": undone.sentence_id,
        "given_at": utc_now(),
        "role": undone.role,
        "value": before.value if before else str(Value.WITHDRAWN),
        **taken_over(before or undone),
    }


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
