"""What was computed of stored articles by a reader of their text. All of it can be computed again."""

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
