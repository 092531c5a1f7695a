"""What all tables have in common."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar, TypeVarTuple, cast

from sqlalchemy import JSON, CursorResult, Delete, MetaData, Row, Select, Table, Update, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import DeclarativeBase, Session

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


# INSERT in each dialect, which can say what happens on a conflict.
INSERTS: dict[str, Callable[[Any], Any]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def stamp(moment: datetime) -> str:
    """A moment as rows hold it: ISO 8601 in UTC with milliseconds, so that texts sort by time."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def utc_now() -> str:
    """The time as rows hold it. Rows are ordered by id, never by time: a clock can be set back."""
    return stamp(datetime.now(UTC))


class Base(DeclarativeBase):
    """Base of all tables; constraint names are fixed so that migrations can name them."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {dict[str, Any]: JSON, list[Any]: JSON}  # noqa: RUF012 (SQLAlchemy's own protocol)


Columns = TypeVarTuple("Columns")
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
AnySelect = Select[*tuple[Any, ...]]  # a selection of any columns


def tuples(rows: Iterable[Row[*Columns]]) -> list[tuple[*Columns]]:
    """The rows of a query as plain tuples, which the other rooms can compare, keep and send anywhere."""
    return [cast("tuple[*Columns]", tuple(row)) for row in rows]


def grouped(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """The values of each key, in order."""
    found: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def changed_rows(session: Session, statement: Update | Delete) -> int:
    """Carries out an UPDATE or DELETE; returns how many rows it changed."""
    # Such a statement gives a CursorResult, which counts rows; the signature of `execute` does not say so.
    return cast("CursorResult[*tuple[Any, ...]]", session.execute(statement)).rowcount


def table_of(mapped: type[Base]) -> Table:
    """The table of a class, for statements that need none of the mapper's work."""
    return cast(Table, mapped.__table__)  # a FromClause by its type, since a class can be mapped to a join too


def number_on(session: Session, *tables: type[Base]) -> None:
    """Sets PostgreSQL's counters of ids behind rows that were inserted with ids of their own; SQLite does so by itself.

    The caller holds the write lock, so no other writer takes an id in between.
    """
    if session.get_bind().dialect.name == "postgresql":
        for table in tables:
            number = table_of(table).c.id
            sequence = func.pg_get_serial_sequence(table.__tablename__, "id")
            session.execute(select(func.setval(sequence, func.max(number))).having(func.max(number).is_not(None)))


def insert_or(session: Session, table: Any) -> Any:
    """An INSERT in the dialect of the session's database, which can say what happens on a conflict."""
    return INSERTS[session.get_bind().dialect.name](table)
