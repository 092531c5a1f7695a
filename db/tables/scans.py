"""What was computed of stored articles by a reader of their text; all of it can be computed again. With it the
functions of sentences that the team named itself, with examples."""

from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class ArticleScan(Base):
    """An article that a reader of one kind has read, by which `version` of the reader, and when.

    `sentence_count`: of what was read. An article that grew since is read again.
    """

    __tablename__ = "article_scan"
    __table_args__ = (Index("ix_article_scan_kind_computed_at", "kind", "computed_at"),)
    __mapper_args__ = {"polymorphic_on": "kind"}  # noqa: RUF012 (SQLAlchemy's own protocol)
    kind: Mapped[str] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), primary_key=True, autoincrement=False)
    version: Mapped[str]
    sentence_count: Mapped[int]
    computed_at: Mapped[str] = mapped_column(default=utc_now)


class EntityScan(ArticleScan):
    """Entities were looked for, by a version of vocabularies and taggers. Those found are in tables of their own."""

    __mapper_args__ = {"polymorphic_identity": "entities"}  # noqa: RUF012 (SQLAlchemy's own protocol)


class TriageScore(ArticleScan):
    """Whether the article may hold a key sentence. `version`: the rules of a topic.

    `cue`: its score by these rules, which needs no label. `probability`: by the last fit, which learnt nothing from
    this article itself.
    """

    __mapper_args__ = {"polymorphic_identity": "triage"}  # noqa: RUF012 (SQLAlchemy's own protocol)
    cue: Mapped[float] = mapped_column(nullable=True)
    probability: Mapped[float | None]


class ArticleRoles(ArticleScan):
    """What each sentence does, as one version of the model reads it.

    Rows by position, row-major: `roles` holds five uint8 each, probabilities in 255ths, `vectors` float16 numbers of
    the function embedding.
    """

    __mapper_args__ = {"polymorphic_identity": "roles"}  # noqa: RUF012 (SQLAlchemy's own protocol)
    roles: Mapped[bytes] = mapped_column(nullable=True)
    vectors: Mapped[bytes] = mapped_column(nullable=True)


class EntityCandidate(Base):
    """One mention: half-open offsets in its paragraph's text, what stands there, and which identifiers it may have."""

    __tablename__ = "entity_candidate"
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), index=True)
    paragraph_id: Mapped[int] = mapped_column(ForeignKey("paragraph.id"))
    start: Mapped[int]
    end: Mapped[int]
    type: Mapped[str]
    identifiers: Mapped[list[Any]]
    name: Mapped[str]
    probability: Mapped[float]


class LabelProposal(Base):
    """A document label that an article may bear, `rank` counted from 1 within its kind; no label before a person says
    so. `sentences` are the positions of those that it comes from."""

    __tablename__ = "label_proposal"
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), index=True)
    kind: Mapped[str]
    rank: Mapped[int]
    name: Mapped[str]
    identifiers: Mapped[list[Any]]
    synonyms: Mapped[list[Any]]
    probability: Mapped[float]
    sentences: Mapped[list[Any]]


class OwnFunction(Base):
    """A function that somebody of the team named."""

    __tablename__ = "own_function"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    created_by: Mapped[str]
    created_at: Mapped[str] = mapped_column(default=utc_now)


class FunctionExample(Base):
    """What somebody said of a sentence: it has the function, or not. Nothing is changed: the latest row holds."""

    __tablename__ = "function_example"
    __table_args__ = (Index("ix_function_example_function_id_sentence_id", "function_id", "sentence_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    function_id: Mapped[int] = mapped_column(ForeignKey("own_function.id"))
    sentence_id: Mapped[int] = mapped_column(ForeignKey("sentence.id"))
    has_it: Mapped[bool]
    said_by: Mapped[str]
    said_at: Mapped[str] = mapped_column(default=utc_now)
