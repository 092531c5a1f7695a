"""The chain of seals: what shows a change of history that was made behind the application."""

from sqlalchemy import Index, text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base

# Written into the schema, so the words stay as they are.
WAITS = text("chain IS NULL")


class Seal(Base):
    """One entry of the chain: a row was stored, changed or removed (db.operations.seals says of which tables).

    It waits, with these three values alone, from the transaction that wrote the row until it is sealed: `digest` is
    then of the row, empty where the row is gone; `chain` is of the entry with the `chain` of the one before it. Both
    are SHA-256. An entry without a table says that the next `row_id` entries are rows as they were found. One of the
    table "erasure" says that a person was erased from these.
    """

    __tablename__ = "seal"
    __table_args__ = (Index("ix_seal_waiting", "id", sqlite_where=WAITS, postgresql_where=WAITS),)
    id: Mapped[int] = mapped_column(primary_key=True)
    table_name: Mapped[str]
    row_id: Mapped[int]
    digest: Mapped[str | None]
    chain: Mapped[str | None]
    sealed_at: Mapped[str | None]
