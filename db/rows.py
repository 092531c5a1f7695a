"""Queries of one table: a row by its id or by its values, the latest rows, their ids, and new rows."""

from collections.abc import Sequence
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, func, insert, select, update
from sqlalchemy.orm import Session

from db.base import Base, insert_or, table_of

Row = TypeVar("Row", bound=Base)


def get(session: Session, table: type[Row], number: int) -> Row | None:
    """The row with this id."""
    return session.get(table, number)


def find(session: Session, table: type[Row], *, until: str | None = None, **values: Any) -> Row | None:
    """The latest row with these values, or the one that was latest at a time (ISO 8601 in UTC); None without any."""
    return next(iter(latest(session, table, limit=1, until=until, **values)), None)


def latest(
    session: Session, table: type[Row], *, limit: int | None = None, until: str | None = None, **values: Any
) -> Sequence[Row]:
    """The rows with these values, made until then, the latest first, at most `limit` of them."""
    query = select(table).filter_by(**values)
    if until is not None:
        query = query.where(table_of(table).columns.created_at <= until)
    return session.scalars(query.order_by(_id(table).desc()).limit(limit)).all()


def last_id(session: Session, table: type[Base]) -> int:
    """The highest id; 0 in an empty table."""
    return session.scalar(select(func.max(_id(table)))) or 0


def latest_ids(table: type[Base], *by: Any) -> Select[Any]:
    """A selection of the ids of the latest rows, one for each group of rows that are the same in these columns."""
    return select(func.max(_id(table))).group_by(*by)


def add(session: Session, row: Row) -> Row:
    """Inserts a row; returns it with its id."""
    session.add(row)
    session.flush()
    return row


def add_all(session: Session, table: type[Base], rows: Sequence[dict[str, Any]]) -> None:
    """Inserts many rows, or none."""
    if rows:
        session.execute(insert(table), list(rows))


def add_new(session: Session, table: type[Base], rows: Sequence[dict[str, Any]]) -> int:
    """Inserts the rows whose unique values no other has, in order; returns how many. All have the same columns."""
    if not rows:
        return 0
    # The table, not the class: the ORM would insert one row a statement.
    statement = insert_or(session, table_of(table)).on_conflict_do_nothing()
    return session.connection().execute(statement, list(rows), execution_options={"preserve_rowcount": True}).rowcount


def put(session: Session, table: type[Base], rows: Sequence[dict[str, Any]], *columns: str) -> None:
    """Inserts rows; of those whose key is there these columns are replaced, by default all but the key."""
    if rows:
        statement = insert_or(session, table)
        keys = [column.name for column in table_of(table).primary_key]
        replaced = columns or [column.name for column in table_of(table).columns if column.name not in keys]
        values = {name: statement.excluded[name] for name in replaced}
        session.execute(statement.on_conflict_do_update(index_elements=keys, set_=values), list(rows))


def change(session: Session, table: type[Base], number: int, **values: Any) -> None:
    """Sets values of the row with this id."""
    session.execute(update(table).where(_id(table) == number).values(**values))


def _id(table: type[Base]) -> ColumnElement[Any]:
    return table.__mapper__.primary_key[0]
