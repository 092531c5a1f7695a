"""What experts do: who has which article in hand, and their verdicts, comments and readings."""

from typing import Any

from sqlalchemy import JSON, ColumnElement, ForeignKey, Index, and_
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now
from db.values import VerdictRole


class Annotator(Base):
    """A person who gives verdicts, or the name under which a gold file was imported."""

    __tablename__ = "annotator"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
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
    head_id: Mapped[int | None] = mapped_column(ForeignKey("fit.id"))
    created_at: Mapped[str] = mapped_column(default=utc_now)
    leased_until: Mapped[str]
    ended_at: Mapped[str | None]
    ending: Mapped[str | None]


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

    `role` is that in which it was given: of an adjudicator the latest of all is current, and decides. The screen's
    rank, cosine, ranking and version are copied here. So the row explains itself even where an imported file is its
    only source. `labels` are names by the key of a kind, null where none were given.
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
    labels: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    proposal_set_id: Mapped[int | None] = mapped_column(ForeignKey("proposal_set.id"))
    role: Mapped[str] = mapped_column(server_default=VerdictRole.ANNOTATOR)

    @classmethod
    def of_article_by(cls, article_id: Any, annotator_id: Any) -> ColumnElement[bool]:
        """Whether a row is of this article and this annotator, found by the article: annotators give thousands.

        SQLite would take either index, as nothing counts rows for it; zero added to a column takes that index away.
        """
        return and_(cls.article_id == article_id, cls.annotator_id + 0 == annotator_id)


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


class QueueRequest(ReviewEvent, Base):
    """An article that somebody wants to come next: to themselves, or `for_all`. Append-only: the last row of
    (annotator, article) holds, and one that is not `wanted` takes it back.

    `assignments_before` is the last assignment of anybody when it was asked for: a later one has met the request.
    `assigned_by` names who assigned it to the annotator, if that was not the annotator.
    """

    __tablename__ = "queue_request"
    __table_args__ = (Index("ix_queue_request_article_id", "article_id"),)
    for_all: Mapped[bool]
    wanted: Mapped[bool]
    reason: Mapped[str]
    assignments_before: Mapped[int]
    assigned_by: Mapped[str | None]
