"""Connections to the one SQLite file: settings, the write gate and the two kinds of transaction."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

try:
    from pysqlite3 import dbapi2 as sqlite_module
except ImportError:  # no wheel for this platform: the interpreter's own library serves, without WAL if affected
    import sqlite3 as sqlite_module  # type: ignore[no-redef]

BUSY_TIMEOUT_MS = 10_000
DATABASE_ERRORS = (SQLAlchemyError, sqlite_module.Error)

# One process-wide gate for writers: SQLite's own busy handler is unfair. Eight ungated writers waited up to
# 5.2 s for a commit, gated ones 0.26 s. Other processes wait for the file lock as usual.
_gate = threading.Lock()


# What SQLAlchemy raises when another process held the write lock for longer than the timeout.
DatabaseBusy = OperationalError


class DatabaseNewerThanCode(RuntimeError):
    """The database was migrated by a newer release; opening it with this one could lose data."""


def wal_is_safe(version: tuple[int, ...]) -> bool:
    """Whether WAL may be used with this SQLite: 3.7.0 to 3.51.2 can corrupt it (sqlite.org/wal.html#walresetbug).

    Fixed in 3.51.3, back-ported to 3.50.7 and 3.44.6; 3.52.0 was withdrawn.
    """
    if version[:2] in ((3, 50), (3, 44)):
        return version >= {(3, 50): (3, 50, 7), (3, 44): (3, 44, 6)}[version[:2]]
    return version >= (3, 51, 3) and version[:2] != (3, 52)


def connection_pragmas(*, read_only: bool, module: ModuleType = sqlite_module) -> list[str]:
    """The settings of every connection: durable commits, foreign keys, no trust in schema functions."""
    wal = wal_is_safe(module.sqlite_version_info)
    journal = ["journal_mode=WAL", "synchronous=FULL"] if wal else ["journal_mode=DELETE", "synchronous=EXTRA"]
    pragmas = [
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        *journal,
        "foreign_keys=ON",
        "trusted_schema=OFF",
        "cache_size=-65536",
    ]
    return [*pragmas, "query_only=ON"] if read_only else pragmas


@lru_cache(maxsize=8)
def engine(path: Path, *, read_only: bool = False) -> Engine:
    """The engine of a database file; write transactions begin IMMEDIATE, since busy_timeout is not
    honoured when a deferred transaction reads first and writes later."""
    made = create_engine(f"sqlite:///{path}", module=sqlite_module, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000})

    @event.listens_for(made, "connect")
    def set_up(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        for pragma in connection_pragmas(read_only=read_only):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(made, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    return made


@contextmanager
def reading(path: Path) -> Iterator[Session]:
    """A session on one consistent snapshot that cannot write."""
    with Session(engine(path, read_only=True), expire_on_commit=False) as session:
        yield session


@contextmanager
def writing(path: Path) -> Iterator[Session]:
    """One write transaction: committed at the end of the block, rolled back whole on any error."""
    with _gate, Session(engine(path), expire_on_commit=False) as session, session.begin():
        yield session
