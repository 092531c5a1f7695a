"""The project's topic and its earlier versions."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import Topic


def latest_topic(session: Session) -> Topic | None:
    """The topic that holds; None where none was chosen yet."""
    return session.scalar(select(Topic).order_by(Topic.id.desc()).limit(1))


def topics(session: Session, *, limit: int = 100) -> list[Topic]:
    """The versions that were chosen, the latest first."""
    return list(session.scalars(select(Topic).order_by(Topic.id.desc()).limit(limit)))


def topic_of(session: Session, sha256: str) -> Topic | None:
    """The version with this hash, or with the only one that begins so."""
    found = session.scalars(
        select(Topic).where(Topic.sha256.startswith(sha256, autoescape=True)).order_by(Topic.id.desc())
    ).all()
    return found[0] if found and len({row.sha256 for row in found}) == 1 else None


def insert_topic(session: Session, *, sha256: str, name: str, text: str, chosen_by: str) -> Topic:
    """Makes a topic the one that holds; earlier ones stay."""
    row = Topic(sha256=sha256, name=name, text=text, chosen_by=chosen_by)
    session.add(row)
    session.flush()
    return row
