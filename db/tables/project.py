"""What people have chosen: the settings and the topic of the project, and their own settings."""

from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class Setting(Base):
    """What a person has chosen under a name, for the project; the latest row of a name holds. Append-only.

    With `owner_id`, for this annotator alone, such as their keys of the review: their latest row of a name holds.
    """

    __tablename__ = "setting"
    __table_args__ = (Index("ix_setting_name_id", "name", "id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    content: Mapped[dict[str, Any]]
    changed_by: Mapped[str]
    created_at: Mapped[str] = mapped_column(default=utc_now)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("annotator.id"))


class Topic(Base):
    """A version of the project's topic; the last row holds. Append-only, so that each hash leads to its text."""

    __tablename__ = "topic"
    __table_args__ = (Index("ix_topic_sha256_id", "sha256", "id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    sha256: Mapped[str]
    name: Mapped[str]
    text: Mapped[str]
    chosen_by: Mapped[str]
    created_at: Mapped[str] = mapped_column(default=utc_now)
