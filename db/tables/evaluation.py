"""How good a version is: its scores, its reports, what experts say of its mistakes; experiments and simulations."""

from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now
from db.tables.review import ReviewEvent


class Evaluation(Base):
    """The metrics of one version and ranking on one split under one label set."""

    __tablename__ = "evaluation"
    __table_args__ = (Index("ix_evaluation_version_id_id", "version_id", "id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"))
    ranking: Mapped[str]
    split: Mapped[str]
    label_set_sha256: Mapped[str]
    metrics: Mapped[dict[str, Any]]
    histogram: Mapped[dict[str, Any]]
    created_at: Mapped[str] = mapped_column(default=utc_now)


class ArticleScore(Base):
    """One article's part of an evaluation."""

    __tablename__ = "article_score"
    evaluation_id: Mapped[int] = mapped_column(ForeignKey("evaluation.id"), primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), primary_key=True)
    r_precision: Mapped[float]
    key_sentences: Mapped[int]


class Report(Base):
    """All that the report of one version shows, as it was computed under one label set and audit."""

    __tablename__ = "report"
    __table_args__ = (Index("ix_report_version_id_id", "version_id", "id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"))
    ranking: Mapped[str]
    split: Mapped[str]
    label_set_sha256: Mapped[str]
    content: Mapped[dict[str, Any]]
    created_at: Mapped[str] = mapped_column(default=utc_now)


class AuditVerdict(ReviewEvent, Base):
    """What an expert says of a prediction that the labels call wrong. Append-only, and never a label to train on.

    `value` is correct, inconclusive or wrong, empty where it is withdrawn; rank, cosine, ranking and version are
    the prediction's.
    """

    __tablename__ = "audit_verdict"
    __table_args__ = (Index("ix_audit_verdict_article_id_id", "article_id", "id"),)
    sentence_id: Mapped[int] = mapped_column(ForeignKey("sentence.id"))
    value: Mapped[str]
    version: Mapped[str]
    ranking: Mapped[str]
    rank: Mapped[int]
    cosine: Mapped[float]


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
