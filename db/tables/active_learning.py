"""Models that are learnt at once from the labels: features of sentences, and fits."""

from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class ArticleFeatures(Base):
    """What the head sees of an article's sentences under one version: float16 rows, row-major, by position.

    `top` holds the int32 positions of the sentences that the fixed ranking puts first, best first, `top_rows` their
    rows: what ranks the queue. `rows` holds all and comes last, since SQLite reads only a row's first columns where
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


class Fit(Base):
    """A small model, fitted on the labels of a moment. Rows are only added.

    `counts`: the articles and labels that it learnt from. `metrics`: how well it does on articles that it had not seen.
    `version_id`: whose embeddings it reads, None where it reads words. `until_verdict`: the last verdict that it knew.
    """

    __tablename__ = "fit"
    __table_args__ = (Index("ix_fit_kind_version_id_id", "kind", "version_id", "id"),)
    __mapper_args__ = {"polymorphic_on": "kind"}  # noqa: RUF012 (SQLAlchemy's own protocol)
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    version_id: Mapped[int | None] = mapped_column(ForeignKey("model_version.id"))
    until_verdict: Mapped[int] = mapped_column(default=0)
    label_set_sha256: Mapped[str] = mapped_column(default="")
    counts: Mapped[dict[str, Any]] = mapped_column(default=dict)
    weights: Mapped[dict[str, Any]] = mapped_column(default=dict)
    metrics: Mapped[dict[str, Any]]
    created_at: Mapped[str] = mapped_column(default=utc_now)


class Head(Fit):
    """A light head over a version's stored embeddings."""

    __mapper_args__ = {"polymorphic_identity": "head"}  # noqa: RUF012 (SQLAlchemy's own protocol)


class Ranker(Fit):
    """Combines what is known of a sentence, with a version's cosines. It learnt from `label_set_sha256`."""

    __mapper_args__ = {"polymorphic_identity": "ranker"}  # noqa: RUF012 (SQLAlchemy's own protocol)


class TriageFit(Fit):
    """Tells of all articles whether they hold a key sentence. `metrics`: `calibrated` says whether its scores are
    probabilities; `counts` also names the last reading and removal that it knew."""

    __mapper_args__ = {"polymorphic_identity": "triage"}  # noqa: RUF012 (SQLAlchemy's own protocol)
