"""The tables, in the order in which data moves: article, sentences, proposals, verdicts, versions, scores."""

from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now

# In which role a verdict was given.
ANNOTATOR, ADJUDICATOR = "annotator", "adjudicator"
ACTIVE_JOB = text("state IN ('queued', 'running')")


class Article(Base):
    """An article as imported. `key` is its best identifier; `split` is fixed by a hash of that key."""

    __tablename__ = "article"
    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    pmid: Mapped[str | None] = mapped_column(unique=True)
    pmcid: Mapped[str | None] = mapped_column(unique=True)
    doi: Mapped[str | None] = mapped_column(unique=True)
    title: Mapped[str]
    journal: Mapped[str | None]
    year: Mapped[int | None]
    licence: Mapped[str | None]
    split: Mapped[str] = mapped_column(index=True)
    source: Mapped[str]
    full_text: Mapped[bool]
    sentence_count: Mapped[int]
    warnings: Mapped[list[Any]]
    imported_at: Mapped[str] = mapped_column(default=utc_now)


class Section(Base):
    """A titled part of an article; `parent_id` is the section around it."""

    __tablename__ = "section"
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), index=True)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("section.id"))
    position: Mapped[int]
    depth: Mapped[int]
    kind: Mapped[str]
    title: Mapped[str]


class Paragraph(Base):
    """One run of text; `marks` are [start, end, sub|sup|italic] spans beside it."""

    __tablename__ = "paragraph"
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), index=True)
    section_id: Mapped[int] = mapped_column(ForeignKey("section.id"))
    position: Mapped[int]
    kind: Mapped[str]
    text: Mapped[str]
    marks: Mapped[list[Any]]


class Sentence(Base):
    """A half-open span into its paragraph's text; `position` counts through the article from 0."""

    __tablename__ = "sentence"
    __table_args__ = (UniqueConstraint("article_id", "position"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"))
    paragraph_id: Mapped[int] = mapped_column(ForeignKey("paragraph.id"))
    position: Mapped[int]
    start: Mapped[int]
    end: Mapped[int]


class Reference(Base):
    """One entry of an article's reference list."""

    __tablename__ = "reference"
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), index=True)
    position: Mapped[int]
    title: Mapped[str]
    pmid: Mapped[str | None]
    pmcid: Mapped[str | None]
    doi: Mapped[str | None]


class DocumentLabel(Base):
    """What an article is about: an edited gene, the cell it was edited in, or the kind of edit (KO, KI, KD)."""

    __tablename__ = "document_label"
    __table_args__ = (UniqueConstraint("article_id", "kind", "name"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"))
    kind: Mapped[str]
    name: Mapped[str]
    synonyms: Mapped[list[Any]]


class Annotator(Base):
    """A person who gives verdicts, or the name under which a gold file was imported."""

    __tablename__ = "annotator"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[str] = mapped_column(default=utc_now)


class ModelVersion(Base):
    """An encoder on disk: its files by SHA-256, its parent and, once fine-tuned, its own query."""

    __tablename__ = "model_version"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("model_version.id"))
    encoder: Mapped[str]
    folder: Mapped[str]
    manifest: Mapped[dict[str, Any]]
    query: Mapped[str | None]
    dimension: Mapped[int]
    created_at: Mapped[str] = mapped_column(default=utc_now)


class Promotion(Base):
    """The moment a version began to propose; the last row names the serving version."""

    __tablename__ = "promotion"
    id: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"))
    promoted_by: Mapped[str]
    reason: Mapped[str]
    created_at: Mapped[str] = mapped_column(default=utc_now)


class Embedding(Base):
    """All sentence embeddings of one article under one version: float16, row-major, by sentence position."""

    __tablename__ = "embedding"
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"), primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), primary_key=True)
    sentence_count: Mapped[int]
    vectors: Mapped[bytes] = mapped_column(LargeBinary)


class QueryEmbedding(Base):
    """The embedding of one query under one version, float32."""

    __tablename__ = "query_embedding"
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"), primary_key=True)
    query: Mapped[str] = mapped_column(primary_key=True)
    vector: Mapped[bytes] = mapped_column(LargeBinary)


class ProposalSet(Base):
    """One ranking of one article, with all that explains it; the latest of an article is the current one."""

    __tablename__ = "proposal_set"
    __table_args__ = (Index("ix_proposal_set_article_id_id", "article_id", "id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"))
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"))
    ranking: Mapped[str]
    query: Mapped[str]
    k: Mapped[int]
    created_at: Mapped[str] = mapped_column(default=utc_now)
    head_id: Mapped[int | None] = mapped_column(ForeignKey("head.id"))


class Proposal(Base):
    """One proposed sentence of a set: rank from 1, the score it was ranked by and its cosine to the query."""

    __tablename__ = "proposal"
    set_id: Mapped[int] = mapped_column(ForeignKey("proposal_set.id"), primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True)
    sentence_id: Mapped[int] = mapped_column(ForeignKey("sentence.id"))
    score: Mapped[float]
    cosine: Mapped[float]


class ReviewEvent:
    """What every event of a reviewer has: its own id, by which it is stored once, who gave it, where and when."""

    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[str] = mapped_column(unique=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"))
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"))
    given_at: Mapped[str]
    stored_at: Mapped[str] = mapped_column(default=utc_now)


class Verdict(ReviewEvent, Base):
    """One decision of one annotator on one sentence. Append-only: the latest of an annotator is current.

    `role` is that in which it was given: of an adjudicator the latest of all is current, and decides.
    What was on the screen (rank, cosine, ranking, version) is copied here, so that the row explains
    itself even where an imported file is its only source.
    """

    __tablename__ = "verdict"
    __table_args__ = (
        Index("ix_verdict_article_id_id", "article_id", "id"),
        Index("ix_verdict_annotator_id", "annotator_id"),
    )
    sentence_id: Mapped[int] = mapped_column(ForeignKey("sentence.id"))
    value: Mapped[str]
    origin: Mapped[str]
    rank: Mapped[int | None]
    cosine: Mapped[float | None]
    ranking: Mapped[str | None]
    version: Mapped[str | None]
    genes: Mapped[str | None]
    cells: Mapped[str | None]
    edit: Mapped[str | None]
    proposal_set_id: Mapped[int | None] = mapped_column(ForeignKey("proposal_set.id"))
    role: Mapped[str] = mapped_column(server_default=ANNOTATOR)


class Comment(ReviewEvent, Base):
    """A remark on a sentence, or on the article where no sentence is named; an empty one withdraws it."""

    __tablename__ = "comment"
    __table_args__ = (Index("ix_comment_article_id_id", "article_id", "id"),)
    sentence_id: Mapped[int | None] = mapped_column(ForeignKey("sentence.id"))
    text: Mapped[str]


class Reading(ReviewEvent, Base):
    """An annotator's word that the whole article was read, as long as it had `sentence_count` sentences."""

    __tablename__ = "reading"
    __table_args__ = (Index("ix_reading_article_id_id", "article_id", "id"),)
    in_full: Mapped[bool]
    sentence_count: Mapped[int]


class Job(Base):
    """Long work in its own process. The row is the message between that process and the pages.

    `attempts` counts how often it was begun; `heartbeat_at` is the last sign of life of its process on `host`.
    """

    __tablename__ = "job"
    __table_args__ = (
        # Two jobs of one kind never wait or run together, whoever asks and however often.
        Index("uq_job_active", "kind", unique=True, sqlite_where=ACTIVE_JOB, postgresql_where=ACTIVE_JOB),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    state: Mapped[str] = mapped_column(index=True)
    payload: Mapped[dict[str, Any]]
    progress: Mapped[dict[str, Any]]
    result: Mapped[dict[str, Any]]
    error: Mapped[str | None]
    pid: Mapped[int | None]
    process_started: Mapped[float | None]
    cancel_requested: Mapped[bool]
    created_at: Mapped[str] = mapped_column(default=utc_now)
    started_at: Mapped[str | None]
    reported_at: Mapped[str | None]
    finished_at: Mapped[str | None]
    attempts: Mapped[int] = mapped_column(server_default="0")
    asked_by: Mapped[str | None]
    host: Mapped[str | None]
    heartbeat_at: Mapped[str | None]


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


class AuditVerdict(ReviewEvent, Base):
    """What an expert says of a prediction that the labels call wrong. Append-only, and never a label to train on.

    `value` is correct, inconclusive or wrong, empty where it is withdrawn; rank, cosine, ranking and version are
    those of the prediction.
    """

    __tablename__ = "audit_verdict"
    __table_args__ = (Index("ix_audit_verdict_article_id_id", "article_id", "id"),)
    sentence_id: Mapped[int] = mapped_column(ForeignKey("sentence.id"))
    value: Mapped[str]
    version: Mapped[str]
    ranking: Mapped[str]
    rank: Mapped[int]
    cosine: Mapped[float]


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
