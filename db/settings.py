"""What people have chosen for the project: the latest row of a name holds."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import Setting


def latest_setting(session: Session, name: str) -> Setting | None:
    """The choice that holds under this name; None where none was made yet."""
    return session.scalar(select(Setting).where(Setting.name == name).order_by(Setting.id.desc()).limit(1))


def settings_of(session: Session, name: str) -> Sequence[Setting]:
    """All choices under this name, the latest first."""
    return session.scalars(select(Setting).where(Setting.name == name).order_by(Setting.id.desc())).all()


def insert_setting(session: Session, name: str, content: dict[str, Any], *, changed_by: str) -> Setting:
    """Stores a choice; earlier ones stay."""
    row = Setting(name=name, content=content, changed_by=changed_by)
    session.add(row)
    session.flush()
    return row
