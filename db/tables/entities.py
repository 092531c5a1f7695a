"""Entities recognised in stored articles, and the labels proposed from them. All of it can be computed again."""

from typing import Any

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base

# PostgreSQL puts no text of more than some 2,700 bytes into an index.
SHORT_NAME = text("length(name) <= 200")


class EntityCandidate(Base):
    """One mention: half-open offsets in its paragraph's text, what stands there, and which identifiers it may have."""

    __tablename__ = "entity_candidate"
    __table_args__ = (
        Index(
            "ix_entity_candidate_name",
            "name",
            "article_id",
            "type",
            sqlite_where=SHORT_NAME,
            postgresql_where=SHORT_NAME,
        ),
    )
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
