"""What reviewers do: events of the page become append-only rows, each stored once, in order, or refused."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from itsdangerous import BadSignature, SignatureExpired, URLSafeTimedSerializer
from sqlalchemy.orm import Session

import db.articles
import db.proposals
import db.verdicts
from annotate.acting import Actor, Auth, auth, current_actor, own_name
from annotate.desk import renew
from annotate.home import signing_secret, write
from annotate.rights import Right
from db import tables
from db.engine import DATABASE_ERRORS, lost_connection

# A working day. A page that is open longer says so and keeps its verdicts until it is loaded anew.
SIGNATURE_SECONDS = 12 * 3600
MAX_EVENTS = 500
MAX_COMMENT = 4_000
MAX_NAME = 60
# Control characters but tab and line feed, those that turn the direction of the text around them, and lone surrogates.
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Value(StrEnum):
    """A verdict on a sentence; `withdrawn` takes the annotator's earlier one back."""

    ACCEPT = "accept"
    REJECT = "reject"
    UNSURE = "unsure"
    WITHDRAWN = "withdrawn"


class Origin(StrEnum):
    """How a sentence came to be judged."""

    PROPOSED = "proposed"
    ADDED = "added"
    IMPORTED = "imported"


class Expired(PermissionError):
    """The signature is genuine but too old; loading the page anew gives a fresh one."""


class Refused(ValueError):
    """One event that cannot be stored; the message says why."""


def clean_name(name: str) -> str:
    """An annotator's name with single spaces. Raises ValueError for an empty, long or unprintable one."""
    tidy = " ".join(name.split())
    if not tidy or len(tidy) > MAX_NAME or not tidy.isprintable() or re.search(r"[:;|\r\n]", tidy):
        raise ValueError(f"a name is 1 to {MAX_NAME} characters without : ; |")
    return tidy


def _serializer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(signing_secret(), salt="review")


def sign(annotator: str, article_id: int) -> str:
    """A token that lets this annotator send events about this article for SIGNATURE_SECONDS, as the current actor.

    Raises Forbidden for the name of another.
    """
    actor = current_actor()
    return _serializer().dumps([own_name(annotator), article_id, actor.account_id, actor.epoch, actor.login_id])


def check_signature(token: str) -> tuple[Actor, int]:
    """(who acts, article id) of a token. Raises Expired, or BadSignature for a forged one.

    Without login it is the only user, who may do everything; else a person, asked for their role with every right.
    """
    try:
        annotator, article_id, account_id, epoch, login_id = _serializer().loads(token, max_age=SIGNATURE_SECONDS)
    except SignatureExpired as error:
        raise Expired("the page was opened too long ago") from error
    except (TypeError, ValueError) as error:
        raise BadSignature(str(error)) from error
    return Actor(annotator, account_id, epoch, operator=auth() is Auth.OFF, login_id=login_id), article_id


def record(annotator: str, article_id: int, events: Sequence[Any]) -> tuple[list[str], list[dict[str, str | None]]]:
    """Stores the events of one page; returns the ids now on disk, and {id, reason} of those refused.

    The transaction has committed, with its fsync, before this returns. An event that was sent before is
    acknowledged again and stored once. A malformed event never hinders the others. The annotator's lease of the
    article is renewed, also where there are no events: the page's sign of life.
    """
    return record_each(
        annotator,
        events,
        Right.REVIEW,
        lambda session, annotator_id, event: _store(session, annotator_id, article_id, event),
        afterwards=lambda session, annotator_id: _renew(session, annotator_id, article_id),
    )


def record_each(
    annotator: str,
    events: Sequence[Any],
    right: Right,
    store: Callable[[Session, int, dict[str, Any]], None],
    afterwards: Callable[[Session, int], None] = lambda session, annotator_id: None,
) -> tuple[list[str], list[dict[str, str | None]]]:
    """Calls `store` (session, annotator's id, event) for each event with a sound id, then `afterwards`, in one
    transaction.

    Returns as `record` does; `store` raises Refused for what it will not take. Raises Forbidden without the right.
    Where the server ended the connection all is done once more: an event that did get stored is not stored again.
    """
    try:
        return _record_each(annotator, events, right, store, afterwards)
    except DATABASE_ERRORS as error:
        if not lost_connection(error):
            raise
        return _record_each(annotator, events, right, store, afterwards)


def _record_each(
    annotator: str,
    events: Sequence[Any],
    right: Right,
    store: Callable[[Session, int, dict[str, Any]], None],
    afterwards: Callable[[Session, int], None],
) -> tuple[list[str], list[dict[str, str | None]]]:
    stored: list[str] = []
    refused: list[dict[str, str | None]] = []
    with write(right) as session:
        annotator_id = db.verdicts.annotator_id(session, own_name(annotator))
        for event in events[:MAX_EVENTS]:
            event_id = event.get("id") if isinstance(event, dict) else None
            try:
                _check_id(event)
                store(session, annotator_id, event)
            except Refused as error:
                refused.append({"id": event_id if isinstance(event_id, str) else None, "reason": str(error)})
            else:
                stored.append(event["id"])
        afterwards(session, annotator_id)
    return stored, refused


def _renew(session: Session, annotator_id: int, article_id: int) -> None:
    # A lease is a courtesy between experts: no trouble with it may cost a verdict.
    with suppress(*DATABASE_ERRORS), session.begin_nested():
        renew(session, annotator_id, article_id)


def _check_id(event: Any) -> None:
    if not isinstance(event, dict):
        raise Refused("not an event")
    event_id = event.get("id")
    if not isinstance(event_id, str) or not re.fullmatch(r"[\w-]{8,64}", event_id, re.ASCII):
        raise Refused("an event needs an id of 8 to 64 letters or digits")


def _store(session: Session, annotator_id: int, article_id: int, event: dict[str, Any]) -> None:
    kind = event.get("kind")
    if not isinstance(kind, str) or kind not in _BUILDERS:
        raise Refused(f"the kind of event is none of {', '.join(_BUILDERS)}")
    build = _BUILDERS[kind]
    table, values = build(session, article_id, event)
    row = {
        "event_id": event["id"],
        "annotator_id": annotator_id,
        "article_id": article_id,
        "given_at": _given_at(event.get("time")),
        **values,
    }
    db.verdicts.add_once(session, table, [row])


def _sentence_id(session: Session, article_id: int, event: dict[str, Any]) -> int:
    position = event.get("sentence")
    if not isinstance(position, int) or isinstance(position, bool) or not 0 <= position < 2**31:
        raise Refused("the sentence is not a number")
    found = db.verdicts.sentence_exists(session, article_id, position)
    if found is None:
        raise Refused(f"the article has no sentence {position}")
    return found


def _verdict(session: Session, article_id: int, event: dict[str, Any]) -> tuple[type, dict[str, Any]]:
    value = event.get("value")
    if not isinstance(value, str) or value not in set(Value):
        raise Refused(f"the verdict is none of {', '.join(Value)}")
    shown = event.get("shown") if isinstance(event.get("shown"), dict) else None
    return tables.Verdict, {
        "sentence_id": _sentence_id(session, article_id, event),
        "value": value,
        "origin": Origin.PROPOSED if shown else Origin.ADDED,
        "rank": _number(shown, "rank", int, 2**31),
        "cosine": _number(shown, "cosine", (int, float), 1.01),  # float16 rounds a little beyond 1
        "ranking": _words(shown, "ranking"),
        "version": _words(shown, "model"),
        "proposal_set_id": db.proposals.set_of(session, article_id, _number(shown, "set", int, 2**31)),
    }


def _number(shown: dict[str, Any] | None, name: str, kinds: Any, most: float) -> Any:
    value = shown.get(name) if shown else None
    return value if isinstance(value, kinds) and not isinstance(value, bool) and -most <= value <= most else None


def _words(shown: dict[str, Any] | None, name: str) -> str | None:
    value = shown.get(name) if shown else None
    return value if isinstance(value, str) and len(value) < 200 and value.isprintable() else None


def clean_comment(text: Any) -> str:
    """A comment as it is stored. Raises Refused for one that is no text, or too long."""
    if not isinstance(text, str) or len(text) > MAX_COMMENT:
        raise Refused(f"a comment is text of at most {MAX_COMMENT} characters")
    return _UNFIT.sub("", text).strip()


def _comment(session: Session, article_id: int, event: dict[str, Any]) -> tuple[type, dict[str, Any]]:
    text = clean_comment(event.get("value"))
    sentence = event.get("sentence")
    if sentence is None and db.articles.article(session, article_id) is None:
        raise Refused(f"no article {article_id}")
    return tables.Comment, {
        "sentence_id": None if sentence is None else _sentence_id(session, article_id, event),
        "text": text,
    }


def _reading(session: Session, article_id: int, event: dict[str, Any]) -> tuple[type, dict[str, Any]]:
    if not isinstance(event.get("value"), bool):
        raise Refused("read in full is true or false")
    article = db.articles.article(session, article_id)
    if article is None:
        raise Refused(f"no article {article_id}")
    # What was on the screen: text that came later was not read.
    shown = event.get("shown") if isinstance(event.get("shown"), dict) else None
    count = _number(shown, "sentences", int, 2**31)
    return tables.Reading, {
        "in_full": event["value"],
        "sentence_count": article.sentence_count if count is None else min(count, article.sentence_count),
    }


_Builder = Callable[[Session, int, dict[str, Any]], tuple[type, dict[str, Any]]]
_BUILDERS: dict[str, _Builder] = {"verdict": _verdict, "comment": _comment, "read": _reading}


def _given_at(seconds: Any) -> str:
    try:
        given = datetime.fromtimestamp(float(seconds), UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        given = datetime.now(UTC)
    return given.isoformat(timespec="milliseconds").replace("+00:00", "Z")
