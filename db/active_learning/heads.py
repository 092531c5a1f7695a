"""Light heads, and which labels came after one: rows are only added."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.curation.removals import changed_since
from db.tables import Head, Reading, Verdict


def insert_head(session: Session, **values: Any) -> Head:
    """A newly fitted head; its id is set."""
    row = Head(**values)
    session.add(row)
    session.flush()
    return row


def head(session: Session, head_id: int) -> Head | None:
    """The head with this id."""
    return session.get(Head, head_id)


def latest_base(session: Session, version_id: int) -> Head | None:
    """The newest head of a version on which later heads build: its counts say "base"."""
    return session.scalar(
        select(Head)
        .where(Head.version_id == version_id, Head.counts["base"].as_boolean())
        .order_by(Head.id.desc())
        .limit(1)
    )


def touched(session: Session, until_verdict: int, until_reading: int, until_removal: int) -> set[int]:
    """The articles that somebody judged, read, removed or took back after these rows."""
    verdicts = session.scalars(select(Verdict.article_id).where(Verdict.id > until_verdict))
    readings = session.scalars(select(Reading.article_id).where(Reading.id > until_reading))
    return {*verdicts, *readings, *changed_since(session, until_removal)}


def judged_until(session: Session, until_verdict: int) -> set[int]:
    """The articles with a verdict up to this one."""
    return set(session.scalars(select(Verdict.article_id).where(Verdict.id <= until_verdict).distinct()))
