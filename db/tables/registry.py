"""The versions of all that is trained, how encoders were, and which of them is in use."""

from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class ModelVersion(Base):
    """A trained thing on disk: its kind (db.values.Kind), its files by SHA-256, and the version that it went on from.

    `settings`, `trained_on` and `metrics`: how it was made and how well it does. The other columns are of encoders:
    where it comes from, its own query once it is fine-tuned, and the length of its vectors. `topic_sha256` is of
    the topic that it was made for; None where the version is older than topics. An encoder that was fine-tuned here is
    trained on `label_counts` of the labels with `label_set_sha256`; its `history` is the curve of that training.
    """

    __tablename__ = "model_version"
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    name: Mapped[str] = mapped_column(unique=True)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("model_version.id"))
    folder: Mapped[str]
    manifest: Mapped[dict[str, Any]]
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)
    trained_on: Mapped[dict[str, Any]] = mapped_column(default=dict)
    metrics: Mapped[dict[str, Any]] = mapped_column(default=dict)
    job_id: Mapped[int | None] = mapped_column(ForeignKey("job.id"))
    created_by: Mapped[str]
    created_at: Mapped[str] = mapped_column(default=utc_now)
    encoder: Mapped[str] = mapped_column(default="")
    query: Mapped[str | None]
    dimension: Mapped[int] = mapped_column(default=0)
    topic_sha256: Mapped[str | None]
    history: Mapped[list[Any]] = mapped_column(default=list, deferred=True, deferred_raiseload=True)  # large


class Promotion(Base):
    """The moment when a version of a kind came into use, or none did; the last row of a kind holds.

    `reason` is empty in rows from before there was one registry, but for encoders: what was chosen then is told in the
    history by another row.
    """

    __tablename__ = "promotion"
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    version_id: Mapped[int | None] = mapped_column(ForeignKey("model_version.id"))
    promoted_by: Mapped[str]
    reason: Mapped[str]
    created_at: Mapped[str] = mapped_column(default=utc_now)
