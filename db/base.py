"""What all tables have in common."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, MetaData, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import DeclarativeBase, Session

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


def utc_now() -> str:
    """The time as ISO 8601 in UTC with milliseconds; rows are ordered by id, never by time."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Base(DeclarativeBase):
    """Base of all tables; constraint names are fixed so that migrations can name them."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {dict[str, Any]: JSON, list[Any]: JSON}  # noqa: RUF012 (SQLAlchemy's own protocol)


def number_on(session: Session, *tables: type[Base]) -> None:
    """Lets the database go on numbering after rows that were inserted with ids; SQLite does so by itself.

    Whoever writes holds the write lock, so nobody has taken a number since.
    """
    if session.get_bind().dialect.name == "postgresql":
        for table in tables:
            number = table.__table__.c.id
            sequence = func.pg_get_serial_sequence(table.__tablename__, "id")
            session.execute(select(func.setval(sequence, func.max(number))).having(func.max(number).is_not(None)))


def insert_or(session: Session, table: Any) -> Any:
    """An INSERT that can be given what to do on a conflict, which no standard names: of the session's database."""
    return {"sqlite": sqlite, "postgresql": postgresql}[session.get_bind().dialect.name].insert(table)
