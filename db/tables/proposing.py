"""The embeddings made with the encoders, and the sentences that these propose."""

from sqlalchemy import ForeignKey, Index, LargeBinary, text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class Embedding(Base):
    """All sentence embeddings of one article under one version: float16, row-major, by sentence position.

    They are `vectors`; or, where these are empty, in a `file` next to the database, with the SHA-256 of the same bytes.
    """

    __tablename__ = "embedding"
    # Without the index a query for the files would read past all the vectors.
    __table_args__ = (
        Index(
            "ix_embedding_file",
            "version_id",
            "file",
            sqlite_where=text("file IS NOT NULL"),
            postgresql_where=text("file IS NOT NULL"),
        ),
    )
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"), primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), primary_key=True)
    sentence_count: Mapped[int]
    vectors: Mapped[bytes] = mapped_column(LargeBinary)
    file: Mapped[str | None]
    sha256: Mapped[str | None]


class QueryEmbedding(Base):
    """The embedding of one query under one version, float32."""

    __tablename__ = "query_embedding"
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"), primary_key=True)
    query: Mapped[str] = mapped_column(primary_key=True)
    vector: Mapped[bytes] = mapped_column(LargeBinary)


class ProposalSet(Base):
    """One ranking of one article, with all that explains it; the latest of an article is the current one.

    `query` holds all queries of the article, one a line.
    `k` of its proposals are shown at first, the best ones; the others are shown when somebody asks for more.
    `topic_sha256` is of the topic that ranked it; None of sets from before there were topics.
    """

    __tablename__ = "proposal_set"
    __table_args__ = (Index("ix_proposal_set_article_id_id", "article_id", "id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"))
    version_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"))
    ranking: Mapped[str]
    query: Mapped[str]
    k: Mapped[int]
    created_at: Mapped[str] = mapped_column(default=utc_now)
    head_id: Mapped[int | None] = mapped_column(ForeignKey("fit.id"))
    topic_sha256: Mapped[str | None]


class Proposal(Base):
    """One proposed sentence of a set: rank from 1, the score it was ranked by and its cosine to the nearest query."""

    __tablename__ = "proposal"
    set_id: Mapped[int] = mapped_column(ForeignKey("proposal_set.id"), primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True)
    sentence_id: Mapped[int] = mapped_column(ForeignKey("sentence.id"))
    score: Mapped[float]
    cosine: Mapped[float]
