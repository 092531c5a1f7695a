"""Copies all rows of one database into another, and hashes what each holds, so that equality is shown, not assumed."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import String, Table, func, insert, inspect, select, text
from sqlalchemy.orm import Session

from db.base import Base, number_on, table_of
from db.engine import Address, engine
from db.operations.seals import AS_STORED
from db.tables import ArticleChange

CHUNK = 500  # rows at a time: of the widest, the features of 500 articles, some 30 MB


# There from the beginning of a copy to its end: the tables of a failed copy are empty, like a new project's.
UNFINISHED = "keyline_copy_unfinished"


@dataclass(frozen=True, slots=True)
class Held:
    """What a table holds: its rows, and the SHA-256 over all their values in the order of the primary key."""

    rows: int
    sha256: str


def tables() -> list[Table]:
    """The tables that are copied, each after those that it refers to: all but what triggers write."""
    return [table for table in Base.metadata.sorted_tables if table is not table_of(ArticleChange)]


def mark_unfinished(address: Address) -> None:
    """Notes in a database that a copy into it has begun."""
    with engine(address).begin() as connection:
        connection.execute(text(f"CREATE TABLE IF NOT EXISTS {UNFINISHED} (copy text)"))


def mark_finished(session: Session) -> None:
    """Takes the note away, in the transaction that holds all the rows."""
    session.execute(text(f"DROP TABLE {UNFINISHED}"))


def is_unfinished(address: Address) -> bool:
    """Whether a copy into this database has begun and not ended."""
    with engine(address, read_only=True).connect() as connection:
        return inspect(connection).has_table(UNFINISHED)


def text_encoding(address: Address) -> str:
    """How a PostgreSQL database keeps text: UTF8, or another encoding that lacks letters of articles."""
    with engine(address, read_only=True).connect() as connection:
        return str(connection.exec_driver_sql("SHOW server_encoding").scalar_one())


def filled(session: Session) -> list[str]:
    """The names of the tables that hold rows."""
    return [table.name for table in tables() if session.execute(select(table).limit(1)).first() is not None]


def copy_table(source: Session, target: Session, table: Table, report: Callable[[int, int], None]) -> Held:
    """Inserts all rows of a source table into the target's; returns the number and range of the source's rows.

    `report` is told how many rows are done, of how many.
    """
    total = source.scalar(select(func.count()).select_from(table)) or 0
    report(0, total)
    digest, done = hashlib.sha256(), 0
    for rows in _chunks(source, table):
        target.execute(insert(table), [row._asdict() for row in rows], execution_options={AS_STORED: True})
        _add(digest, rows)
        done += len(rows)
        report(done, total)
    return Held(done, digest.hexdigest())


def held(session: Session, table: Table) -> Held:
    """What a table holds."""
    digest, rows = hashlib.sha256(), 0
    for chunk in _chunks(session, table):
        _add(digest, chunk)
        rows += len(chunk)
    return Held(rows, digest.hexdigest())


def settle(session: Session) -> None:
    """Sets the counters of ids behind the copied rows, and gathers the statistics by which queries are planned."""
    number_on(session, *(mapper.class_ for mapper in Base.registry.mappers if "id" in mapper.local_table.c))
    session.execute(text("ANALYZE"))


def _chunks(session: Session, table: Table) -> Iterator[Sequence[Any]]:
    # PostgreSQL is to sort texts as SQLite does, in any language of the server.
    postgresql = session.get_bind().dialect.name == "postgresql"
    order = [
        column.collate("C") if postgresql and isinstance(column.type, String) else column
        for column in table.primary_key
    ]
    rows = session.execute(select(table).order_by(*order).execution_options(yield_per=CHUNK))
    return rows.partitions()


def _add(digest: Any, rows: Sequence[Any]) -> None:
    as_json = partial(json.dumps, sort_keys=True, default=lambda value: {"bytes": hashlib.sha256(value).hexdigest()})
    for row in rows:
        digest.update(as_json(list(row)).encode() + b"\n")
