"""Long work in processes of its own, and how far it is."""

from typing import Any

from sqlalchemy import Index, text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now
from db.values import JobState

# Written into the schema, so the words stay as they are.
ACTIVE_JOB = text(f"state IN ('{JobState.QUEUED}', '{JobState.RUNNING}')")


class Job(Base):
    """Long work in its own process. The row is the message between that process and the pages.

    `attempts` counts how often it was begun; `heartbeat_at` is the last sign of life of its process on `host`.
    `event_id` is the id under which a program asked for it.
    """

    __tablename__ = "job"
    __table_args__ = (
        # Two jobs of one kind never wait or run together, no matter who asks or how often.
        Index("uq_job_active", "kind", unique=True, sqlite_where=ACTIVE_JOB, postgresql_where=ACTIVE_JOB),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    state: Mapped[str] = mapped_column(index=True)
    payload: Mapped[dict[str, Any]]
    progress: Mapped[dict[str, Any]]
    result: Mapped[dict[str, Any]]
    error: Mapped[str | None]
    pid: Mapped[int | None]
    process_started: Mapped[float | None]
    cancel_requested: Mapped[bool]
    created_at: Mapped[str] = mapped_column(default=utc_now)
    started_at: Mapped[str | None]
    reported_at: Mapped[str | None]
    finished_at: Mapped[str | None]
    attempts: Mapped[int] = mapped_column(server_default="0")
    asked_by: Mapped[str | None]
    host: Mapped[str | None]
    heartbeat_at: Mapped[str | None]
    event_id: Mapped[str | None] = mapped_column(index=True)
