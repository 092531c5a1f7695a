"""The functions of sentences that the team named itself, and examples of them."""

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


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
