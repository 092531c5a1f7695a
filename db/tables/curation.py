"""What people say of whole articles to keep order among them: tags, removals; and what each person chose."""

from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class ArticleTag(Base):
    """A word that somebody put on an article, or took off. Append-only: the last row of (article, tag) holds."""

    __tablename__ = "article_tag"
    __table_args__ = (
        Index("ix_article_tag_article_id_tag", "article_id", "tag"),
        Index("ix_article_tag_tag_article_id", "tag", "article_id"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"))
    tag: Mapped[str]
    is_set: Mapped[bool]
    done_by: Mapped[str]
    done_at: Mapped[str] = mapped_column(default=utc_now)


class ArticleRemoval(Base):
    """An article that somebody removed from the project, or took back. Append-only: the last row of an article holds.

    Nothing else changes: its text, its split and what was said of it stay, and count again once it is taken back.
    """

    __tablename__ = "article_removal"
    __table_args__ = (Index("ix_article_removal_article_id", "article_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"))
    removed: Mapped[bool]
    reason: Mapped[str]
    done_by: Mapped[str]
    done_at: Mapped[str] = mapped_column(default=utc_now)


class Preference(Base):
    """What a person chose for themselves, as their keys of the review. Append-only: their last row of a name holds."""

    __tablename__ = "preference"
    __table_args__ = (Index("ix_preference_annotator_id_name", "annotator_id", "name"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"))
    name: Mapped[str]
    content: Mapped[dict[str, Any]]
    chosen_at: Mapped[str] = mapped_column(default=utc_now)
