"""How each version was trained."""

from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class TrainingRun(Base):
    """What a version was made from: settings, label counts, the label set's hash and the curve."""

    __tablename__ = "training_run"
    id: Mapped[int] = mapped_column(primary_key=True)
    job_id: Mapped[int | None] = mapped_column(ForeignKey("job.id"))
    parent_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"))
    child_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"), unique=True)
    settings: Mapped[dict[str, Any]]
    label_counts: Mapped[dict[str, Any]]
    label_set_sha256: Mapped[str]
    history: Mapped[list[Any]]
    created_at: Mapped[str] = mapped_column(default=utc_now)
