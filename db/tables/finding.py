"""The tables of Find and Related: vectors of articles, questions, verdicts."""

from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class ReadText(Base):
    """What a version `made` of an article's title and abstract; it can be computed again.

    An encoder: one unit vector, float16. Rows of versions of EXT and ABS are from earlier releases: words, in JSON.
    `text_sha256` is of the text, when the article had `sentence_count` sentences: one that grew is read again.
    """

    __tablename__ = "read_text"
    # Read whenever somebody searches, to see whether anything has changed: not one of the vectors is, then.
    __table_args__ = (Index("ix_read_text_mark", "version_id", "sentence_count"),)
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"), primary_key=True, autoincrement=False)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), primary_key=True, autoincrement=False, index=True)
    sentence_count: Mapped[int]
    text_sha256: Mapped[str]
    made: Mapped[bytes]


class StoredQuestion(Base):
    """A question that somebody asked. `sha256` is of facets, text, filters and stages: the same is kept once a person.
    One that is saved is in their list by its name; one that is shared, in everybody's. All articles up to the id
    `seen_until` were there when they last looked at what it finds."""

    __tablename__ = "question"
    __table_args__ = (UniqueConstraint("annotator_id", "sha256"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"))
    sha256: Mapped[str]
    name: Mapped[str]
    question: Mapped[dict[str, Any]]
    saved: Mapped[bool]
    shared: Mapped[bool]
    seen_until: Mapped[int]
    created_at: Mapped[str] = mapped_column(default=utc_now)
    seen_at: Mapped[str] = mapped_column(default=utc_now)


class Relevance(Base):
    """What somebody said of an article that was found: 0 not relevant, 1 relevant, -1 unsure; None takes it back.
    Append-only; the last row of (question, annotator, key) holds. `article_key` names a stored article, or one outside.
    `waiting`, where the article was drawn by lot: from how many that were not judged, itself included."""

    __tablename__ = "relevance"
    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[str] = mapped_column(unique=True)
    question_id: Mapped[int] = mapped_column(ForeignKey("question.id"), index=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"))
    article_key: Mapped[str]
    grade: Mapped[int | None]
    waiting: Mapped[int | None]
    given_at: Mapped[str]
    stored_at: Mapped[str] = mapped_column(default=utc_now)


class RelatedVerdict(Base):
    """One annotator's word on a work that was suggested for a question. Append-only: the latest holds.

    `asked` and `work` are keys: of a stored article, of a work known by its identifier (pmid:123), or the SHA-256 of
    a text that was pasted (text:...). `related` is false for "not related", null where that was taken back.
    """

    __tablename__ = "related_verdict"
    __table_args__ = (Index("ix_related_verdict_asked_work", "asked", "work"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[str] = mapped_column(unique=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"))
    asked: Mapped[str]
    work: Mapped[str]
    related: Mapped[bool | None]
    stored_at: Mapped[str] = mapped_column(default=utc_now)
