"""What is learnt at once from the labels: features of sentences, heads and rankers."""

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


class Ranker(Base):
    """A small model, fitted on labels, that combines what is known of a sentence; belongs to one version's cosines."""

    __tablename__ = "ranker"
    __table_args__ = (Index("ix_ranker_version_id_id", "version_id", "id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"))
    label_set_sha256: Mapped[str]
    weights: Mapped[dict[str, Any]]
    metrics: Mapped[dict[str, Any]]
    created_at: Mapped[str] = mapped_column(default=utc_now)


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
