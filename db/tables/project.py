"""What people have chosen for the project."""

from typing import Any

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class Setting(Base):
    """What a person has chosen for the project, under a name; the latest row of a name holds. Append-only."""

    __tablename__ = "setting"
    __table_args__ = (Index("ix_setting_name_id", "name", "id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    content: Mapped[dict[str, Any]]
    changed_by: Mapped[str]
    created_at: Mapped[str] = mapped_column(default=utc_now)
