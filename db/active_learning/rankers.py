"""Learned rankings: fitted on labels, one after another, never changed."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import Ranker


def insert_ranker(session: Session, **values: Any) -> Ranker:
    """A newly fitted ranker; its id is set."""
    row = Ranker(**values)
    session.add(row)
    session.flush()
    return row


def latest(session: Session, version_id: int, *, until: str | None = None) -> Ranker | None:
    """The newest ranker of a version, or the one that was newest at a time (ISO 8601 in UTC)."""
    query = select(Ranker).where(Ranker.version_id == version_id)
    if until is not None:
        query = query.where(Ranker.created_at <= until)
    return session.scalars(query.order_by(Ranker.id.desc()).limit(1)).first()
