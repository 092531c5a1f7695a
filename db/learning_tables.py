"""The tables of the queue and of what learns: features, heads, assignments, settings, finished runs."""

from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary, UniqueConstraint
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


class ArticleFeatures(Base):
    """What the head sees of an article's sentences under one version: float16 rows, row-major, by position.

    `top` holds the int32 positions of the sentences that the fixed ranking puts first, best first, `top_rows` their
    rows: what ranks the queue. `rows` holds all and comes last, since SQLite reads a row's first columns alone where
    only they are asked for. `inputs_sha256` is of all that the rows were computed from.
    """

    __tablename__ = "article_features"
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"), primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), primary_key=True)
    inputs_sha256: Mapped[str]
    sentence_count: Mapped[int]
    top: Mapped[bytes] = mapped_column(LargeBinary)
    top_rows: Mapped[bytes] = mapped_column(LargeBinary)
    rows: Mapped[bytes] = mapped_column(LargeBinary)


class Head(Base):
    """A light head over the stored embeddings, fitted on the labels of a moment; belongs to one version.

    `counts` are the articles and labels that it learnt from, `until_verdict` the last verdict among them.
    """

    __tablename__ = "head"
    __table_args__ = (Index("ix_head_version_id_id", "version_id", "id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"))
    until_verdict: Mapped[int]
    counts: Mapped[dict[str, Any]]
    weights: Mapped[dict[str, Any]]
    metrics: Mapped[dict[str, Any]]
    created_at: Mapped[str] = mapped_column(default=utc_now)


class Assignment(Base):
    """An article in an expert's hands: why it was next, whether its proposals were shown, and until when it is leased.

    Open while `ended_at` is null and `leased_until` lies ahead. `waiting` is how many articles it was chosen among,
    itself included; `at_random` says that it was drawn by lot from all of them.
    """

    __tablename__ = "assignment"
    __table_args__ = (
        Index("ix_assignment_article_id", "article_id"),
        Index("ix_assignment_annotator_id_id", "annotator_id", "id"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"))
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"))
    strategy: Mapped[str]
    reason: Mapped[str]
    score: Mapped[float | None]
    waiting: Mapped[int]
    at_random: Mapped[bool]
    with_proposals: Mapped[bool]
    head_id: Mapped[int | None] = mapped_column(ForeignKey("head.id"))
    created_at: Mapped[str] = mapped_column(default=utc_now)
    leased_until: Mapped[str]
    ended_at: Mapped[str | None]
    ending: Mapped[str | None]


class Setting(Base):
    """What a person has chosen for the project, under a name; the latest row of a name holds. Append-only."""

    __tablename__ = "setting"
    __table_args__ = (Index("ix_setting_name_id", "name", "id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    content: Mapped[dict[str, Any]]
    changed_by: Mapped[str]
    created_at: Mapped[str] = mapped_column(default=utc_now)
