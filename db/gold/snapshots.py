"""Frozen gold: rows are inserted and read, never changed or deleted."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from db.tables import GoldSnapshot


def snapshots(session: Session, *, before: int | None = None, limit: int | None = None) -> Sequence[GoldSnapshot]:
    """The newest snapshots, the newest first, without their content: those before the one with this id, or all."""
    query = select(GoldSnapshot).order_by(GoldSnapshot.id.desc()).limit(limit)
    if before is not None:
        query = query.where(GoldSnapshot.id < before)
    return session.scalars(query.options(defer(GoldSnapshot.content, raiseload=True))).all()
