"""What people say of articles and works that were suggested as related."""

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class RelatedVerdict(Base):
    """One annotator's word on a work that was suggested beside what they asked about. Append-only: the latest holds.

    `asked` and `work` are keys: of a stored article, of a work known by its identifier (pmid:123), or the SHA-256 of
    a text that was pasted (text:...). `related` is false for "not related", null where that was taken back.
    """

    __tablename__ = "related_verdict"
    __table_args__ = (Index("ix_related_verdict_asked_work", "asked", "work"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[str] = mapped_column(unique=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"))
    asked: Mapped[str]
    work: Mapped[str]
    related: Mapped[bool | None]
    stored_at: Mapped[str] = mapped_column(default=utc_now)
