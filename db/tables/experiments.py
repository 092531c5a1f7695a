"""Finished runs of experiments and simulations."""

from typing import Any

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class FinishedRun(Base):
    """A finished run of a kind: experiment, an encoder fine-tuned and how it ranks; or simulation, a labelled corpus
    replayed under one query strategy. `key` hashes corpus, encoder and settings: no run of a kind is done twice."""

    __tablename__ = "finished_run"
    __table_args__ = (UniqueConstraint("kind", "experiment", "key"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    experiment: Mapped[str]
    key: Mapped[str]
    corpus: Mapped[dict[str, Any]]
    encoder: Mapped[str]
    settings: Mapped[dict[str, Any]]
    metrics: Mapped[dict[str, Any]]
    articles: Mapped[list[Any]]
    history: Mapped[list[Any]]
    device: Mapped[str]
    seconds: Mapped[float]
    created_at: Mapped[str] = mapped_column(default=utc_now)
