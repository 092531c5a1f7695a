"""Frozen gold: snapshots that never change."""

from typing import Any

from sqlalchemy import LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class GoldSnapshot(Base):
    """The gold as it was, under a name and by a stated rule. `content` is the gold's JSON lines, gzipped.

    `sha256` is of the JSON lines; `until_verdict` and `until_reading` are the last rows that counted.
    """

    __tablename__ = "gold_snapshot"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    rule: Mapped[str]
    annotator: Mapped[str | None]
    until_verdict: Mapped[int]
    until_reading: Mapped[int]
    label_set_sha256: Mapped[str]
    sha256: Mapped[str]
    manifest: Mapped[dict[str, Any]]
    created_by: Mapped[str]
    created_at: Mapped[str] = mapped_column(default=utc_now)
    content: Mapped[bytes] = mapped_column(LargeBinary)
