"""What the project keeps of itself: settings and topics, long work in processes of its own, and frozen gold."""

from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary, text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now
from db.values import JobState


class Setting(Base):
    """What a person has chosen under a name, for the project; the latest row of a name holds. Append-only.

    With `owner_id`, only for this annotator, such as their keys of the review: their latest row of a name holds.
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
