"""The topic of the project: the one that holds, stored with all before it, so that a team shares it."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

import db.rows
from annotate.project.acting import current_actor, own_name
from annotate.project.home import read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.topics.file import FIRST, SHIPPED, BadTopic, Topic, read_topic, shipped
from annotate.topics.slow_patterns import own_sentences, tried_topic
from db import tables
from db.values import SLOW
from model.proposing.bounded import BOUND_SECONDS, SlowPattern

SHORT = 12  # digits of a hash that people read
TOO_LONG = f"one search took more than {BOUND_SECONDS:g} s of processor time; write it simpler"


def topic_now(session: Session) -> Topic:
    """The topic that holds; on a database without a choice, the shipped one for gene editing.

    A stored text that this release cannot read, as a later one may have left it, gives way to the shipped topic that
    knows nothing: no topic may stop a review. `why_unreadable` says so.
    """
    stored = db.rows.find(session, tables.Topic)
    if stored is None:
        return shipped(FIRST)
    try:
        return searched_topic(session, stored.text, stored.name)
    except BadTopic:
        return shipped("blank")


def searched_topic(session: Session, text: str, source: str = "topic") -> Topic:
    """The topic of a text without the patterns that were found too slow. Raises BadTopic."""
    topic = read_topic(text, source)
    found = db.rows.find(session, tables.Setting, name=SLOW)
    if found is None or found.content["rules"] != topic.rules_sha256:
        return topic
    return read_topic(text, source, tuple(sorted(found.content["left_out"].items())))


def leave_out(slow: SlowPattern) -> bool:
    """Leaves a pattern that went over its bound out of all searches, until the topic is changed.

    Whether it is a pattern of the topic that holds.
    """
    with write(Right.SYSTEM) as session:
        topic, field = topic_now(session), slow.place.field
        if slow.place.rules != topic.rules_sha256:
            return False
        if field in dict(topic.left_out):  # another process was first
            return True
        content = {"rules": topic.rules_sha256, "left_out": {**dict(topic.left_out), field: TOO_LONG}}
        db.rows.add(session, tables.Setting(name=SLOW, content=content, changed_by=current_actor().name))
        note(session, Noted.TOPIC, f"{field} of the topic {topic.name} is left out: {TOO_LONG}", field=field)
    return True


def current_topic() -> Topic:
    """The topic that holds, read in a session of its own."""
    with read() as session:
        return topic_now(session)


def why_unreadable(session: Session) -> str | None:
    """Why the stored topic cannot be used; None where it can."""
    stored = db.rows.find(session, tables.Topic)
    try:
        if stored is not None:
            read_topic(stored.text, stored.name)
    except BadTopic as error:
        return str(error)
    return None


def use_topic(text: str, *, by: str, source: str = "topic") -> bool:
    """Makes this text the project's topic; whether it was another before. Raises BadTopic, Forbidden.

    Proposals change with the next propose job.
    """
    chosen = tried_topic(text, source, own_sentences())
    with write(Right.TOPIC) as session:
        before = topic_now(session)
        if before.sha256 == chosen.sha256 and why_unreadable(session) is None:
            return False
        row = tables.Topic(sha256=chosen.sha256, name=chosen.name, text=chosen.text, chosen_by=own_name(by))
        db.rows.add(session, row)
        summary = f"topic {before.name} → {chosen.name} ({chosen.sha256[:SHORT]})"
        note(session, Noted.TOPIC, summary, before=before.name, after=chosen.name, sha256=chosen.sha256)
    return True


def earlier_topics(session: Session) -> Sequence[tables.Topic]:
    """The stored versions, the latest first."""
    return db.rows.latest(session, tables.Topic, limit=100)


def find_topic(session: Session, name: str) -> Topic:
    """A topic by the name of a shipped file, its hash, the beginning of one, or the name of a stored one.

    Raises ValueError that says what there is.
    """
    if name in SHIPPED:
        return shipped(name)
    rows = db.rows.latest(session, tables.Topic)
    by_prefix = {row.sha256: row for row in rows if row.sha256.startswith(name)} if len(name) >= 6 else {}
    found = (
        next(iter(by_prefix.values())) if len(by_prefix) == 1 else next((row for row in rows if row.name == name), None)
    )
    if found is not None:
        return read_topic(found.text, found.name)
    named = dict.fromkeys((*SHIPPED, *(row.name for row in rows)))
    raise ValueError(f"no topic {name!r}; there are {', '.join(named)}")
