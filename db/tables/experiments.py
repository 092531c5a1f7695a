"""Finished runs of experiments and simulations."""

from typing import Any

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class FinishedRun:
    """What every finished run has. `key` hashes corpus, encoder and settings: no run is done twice."""

    id: Mapped[int] = mapped_column(primary_key=True)
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


class ExperimentRun(FinishedRun, Base):
    """One finished run of an experiment's grid: an encoder fine-tuned under some settings, and how it ranks."""

    __tablename__ = "experiment_run"
    __table_args__ = (UniqueConstraint("experiment", "key"),)


class SimulationRun(FinishedRun, Base):
    """One finished replay of a labelled corpus under one query strategy and seed; `history` is its curve."""

    __tablename__ = "simulation_run"
    __table_args__ = (UniqueConstraint("experiment", "key"),)
