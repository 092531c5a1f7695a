"""What the sentences of stored articles do, and the functions that the team named itself."""

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


class ArticleFunctions(Base):
    """What each sentence of an article does, as one `version` of the model reads it; it can be computed again.

    Rows by position, row-major: `roles` holds five uint8 each, probabilities in 255ths, `vectors` float16 numbers of
    the function embedding. `sentence_count`: of what was read; an article that grew since is read again.
    """

    __tablename__ = "article_functions"
    article_id: Mapped[int] = mapped_column(ForeignKey("article.id"), primary_key=True, autoincrement=False)
    version: Mapped[str]
    sentence_count: Mapped[int]
    roles: Mapped[bytes]
    vectors: Mapped[bytes]
    computed_at: Mapped[str] = mapped_column(default=utc_now)


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
