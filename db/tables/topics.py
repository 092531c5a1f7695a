"""What the project looks for: every topic that was chosen, as the text that people wrote."""

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


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
