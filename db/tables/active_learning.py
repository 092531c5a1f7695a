"""Models that are learnt at once from the labels: features of sentences, heads and rankers."""

from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


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


class Fit(Base):
    """A small model of one version, fitted on the labels of a moment. Rows are only added.

    `counts`: the articles and labels that it learnt from. `metrics`: how well it does on articles that it had not seen.
    """

    __tablename__ = "fit"
    __table_args__ = (Index("ix_fit_kind_version_id_id", "kind", "version_id", "id"),)
    __mapper_args__ = {"polymorphic_on": "kind"}  # noqa: RUF012 (SQLAlchemy's own protocol)
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"))
    until_verdict: Mapped[int] = mapped_column(default=0)
    label_set_sha256: Mapped[str] = mapped_column(default="")
    counts: Mapped[dict[str, Any]] = mapped_column(default=dict)
    weights: Mapped[dict[str, Any]] = mapped_column(default=dict)
    metrics: Mapped[dict[str, Any]]
    created_at: Mapped[str] = mapped_column(default=utc_now)


class Head(Fit):
    """A light head over a version's stored embeddings. `until_verdict` is the last verdict that it learnt from."""

    __mapper_args__ = {"polymorphic_identity": "head"}  # noqa: RUF012 (SQLAlchemy's own protocol)


class Ranker(Fit):
    """Combines what is known of a sentence, with a version's cosines. It learnt from `label_set_sha256`."""

    __mapper_args__ = {"polymorphic_identity": "ranker"}  # noqa: RUF012 (SQLAlchemy's own protocol)


class TriageFit(Base):
    """What was learnt of all articles at one time about whether they hold a key sentence.

    `until_verdict` and `until_reading`: the last rows that it knew. `counts`: the articles that it learnt from, and how
    many of them hold one. `metrics`: how well, on articles that it had not seen; `calibrated` says whether the scores
    are probabilities.
    """

    __tablename__ = "triage_fit"
    id: Mapped[int] = mapped_column(primary_key=True)
    until_verdict: Mapped[int]
    until_reading: Mapped[int]
    counts: Mapped[dict[str, Any]]
    metrics: Mapped[dict[str, Any]]
    created_at: Mapped[str] = mapped_column(default=utc_now)


class TriageScore(Base):
    """What is known of one article: its cue score by the `rules` of a topic from `sentence_count` sentences, which
    needs no label, and the probability that it holds a key sentence by the last fit, which learnt nothing from this
    article itself."""

    __tablename__ = "triage_score"
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), primary_key=True, autoincrement=False)
    sentence_count: Mapped[int]
    rules: Mapped[str]
    cue: Mapped[float]
    probability: Mapped[float | None]
