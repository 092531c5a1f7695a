"""Finished runs of experiments and simulations."""

from typing import Any

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class FinishedRun(Base):
    """A finished run. `key` hashes corpus, encoder and settings: no run of a kind is done twice."""

    __tablename__ = "finished_run"
    __table_args__ = (UniqueConstraint("kind", "experiment", "key"),)
    __mapper_args__ = {"polymorphic_on": "kind"}  # noqa: RUF012 (SQLAlchemy's own protocol)
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


class ExperimentRun(FinishedRun):
    """A finished run of an experiment's grid: an encoder fine-tuned under some settings, and how it ranks."""

    __mapper_args__ = {"polymorphic_identity": "experiment"}  # noqa: RUF012 (SQLAlchemy's own protocol)


class SimulationRun(FinishedRun):
    """A finished replay of a labelled corpus under one query strategy and seed; `history` is its curve."""

    __mapper_args__ = {"polymorphic_identity": "simulation"}  # noqa: RUF012 (SQLAlchemy's own protocol)
