"""What people chose for themselves. Rows are only added."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import Annotator, Preference


def preference(session: Session, annotator: str, name: str) -> dict[str, Any] | None:
    """What an annotator chose last under a name; None where they never did."""
    query = select(Preference.content).join(Annotator, Annotator.id == Preference.annotator_id)
    query = query.where(Annotator.name == annotator, Preference.name == name)
    return session.scalar(query.order_by(Preference.id.desc()).limit(1))
