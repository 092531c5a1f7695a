"""The project's topic and its earlier versions."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import Topic


def topic_of(session: Session, sha256: str) -> Topic | None:
    """The version with this hash, or with the only one that begins so."""
    found = session.scalars(
        select(Topic).where(Topic.sha256.startswith(sha256, autoescape=True)).order_by(Topic.id.desc())
    ).all()
    return found[0] if found and len({row.sha256 for row in found}) == 1 else None
