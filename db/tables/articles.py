"""Stored articles: text in sections, paragraphs and sentences; references, document labels, tags and removals."""

from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now
from db.values import MESH_SECTION

# Written into the schema, so the word stays as it is.
MESH_ONLY = text(f"kind = '{MESH_SECTION}'")


class Article(Base):
    """An article as imported. `key` is its best identifier; `split` is fixed: a hash of the key under which the work
    was stored first. `title_key` is a hash of the letters and digits of the title."""

    __tablename__ = "article"
    __table_args__ = (Index("ix_article_title_key_split", "title_key", "split"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    pmid: Mapped[str | None] = mapped_column(unique=True)
    pmcid: Mapped[str | None] = mapped_column(unique=True)
    doi: Mapped[str | None] = mapped_column(unique=True)
    title: Mapped[str]
    title_key: Mapped[str] = mapped_column(default="", server_default="")
    journal: Mapped[str | None]
    year: Mapped[int | None]
    licence: Mapped[str | None]
    split: Mapped[str] = mapped_column(index=True)
    source: Mapped[str]
    full_text: Mapped[bool]
    sentence_count: Mapped[int]
    warnings: Mapped[list[Any]]
    imported_at: Mapped[str] = mapped_column(default=utc_now)


class ArticleChange(Base):
    """The last change of an article, its labels, recognised names or MeSH terms, or of whether it is in the project.
    Triggers of the database write it; `mark` is higher after each change of any article."""

    __tablename__ = "article_change"
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), primary_key=True, autoincrement=False)
    mark: Mapped[int] = mapped_column(BigInteger, unique=True)


class Section(Base):
    """A titled part of an article; `parent_id` is the section around it."""

    __tablename__ = "section"
    __table_args__ = (Index("ix_section_mesh", "article_id", sqlite_where=MESH_ONLY, postgresql_where=MESH_ONLY),)
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), index=True)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("section.id"))
    position: Mapped[int]
    depth: Mapped[int]
    kind: Mapped[str]
    title: Mapped[str]


class Paragraph(Base):
    """One run of text; `marks` are [start, end, sub|sup|italic] spans of it."""

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
    pmid: Mapped[str | None] = mapped_column(index=True)
    pmcid: Mapped[str | None] = mapped_column(index=True)
    doi: Mapped[str | None] = mapped_column(index=True)


class Citation(Base):
    """A sentence of an article that cites the entry of its reference list at position `reference`."""

    __tablename__ = "citation"
    __table_args__ = (Index("ix_citation_article_id_reference", "article_id", "reference"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"))
    reference: Mapped[int]
    sentence_id: Mapped[int] = mapped_column(ForeignKey("sentence.id"))


class DocumentLabel(Base):
    """What an article is about, each name of a kind by the key that a topic of the project gives it."""

    __tablename__ = "document_label"
    __table_args__ = (UniqueConstraint("article_id", "kind", "name"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"))
    kind: Mapped[str]
    name: Mapped[str]
    synonyms: Mapped[list[Any]]
    identifiers: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")


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
