"""Frozen gold: rows are inserted and read, never changed or deleted."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from db.tables import GoldSnapshot


def insert_snapshot(session: Session, **columns: Any) -> GoldSnapshot:
    """Stores a snapshot; its id is set."""
    row = GoldSnapshot(**columns)
    session.add(row)
    session.flush()
    return row


def snapshots(session: Session, *, before: int | None = None, limit: int | None = None) -> Sequence[GoldSnapshot]:
    """The newest snapshots, the newest first, without their content: those before the one with this id, or all."""
    query = select(GoldSnapshot).order_by(GoldSnapshot.id.desc()).limit(limit)
    if before is not None:
        query = query.where(GoldSnapshot.id < before)
    return session.scalars(query.options(defer(GoldSnapshot.content, raiseload=True))).all()


def snapshot_named(session: Session, name: str) -> GoldSnapshot | None:
    """The snapshot of this name, with its content."""
    return session.scalar(select(GoldSnapshot).where(GoldSnapshot.name == name))
