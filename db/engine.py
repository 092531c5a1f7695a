"""Connections to the database, a SQLite file or PostgreSQL: settings, the write gate, two kinds of transaction.

Writers of one process that wait at the same moment may share one: one lock, one commit, one sync for all.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, OperationalError, PendingRollbackError, SQLAlchemyError
from sqlalchemy.orm import Session

try:
    from pysqlite3 import dbapi2 as _sqlite_module
except ImportError:  # no wheel for this platform: the interpreter's own library serves, without WAL if affected
    import sqlite3 as _sqlite_module

sqlite_module: ModuleType = _sqlite_module

# Where a database is: a SQLite file, or the URL of a PostgreSQL database.
Address = Path | URL

BUSY_TIMEOUT_MS = 10_000
DATABASE_ERRORS = (SQLAlchemyError, sqlite_module.Error)

# One process-wide gate for writers: SQLite's own busy handler is unfair. Eight ungated writers waited up to 5.2 s for a
# commit, gated ones 0.26 s. Other processes wait for the database's lock as usual. To PostgreSQL, whose lock is fair,
# it saves connections that would do nothing but wait.
_gate = threading.Lock()
PATIENCE = "busy_timeout_ms"

# PostgreSQL: one writer at a time here too, across all processes. So rows become visible in the order of their ids;
# everything that asks "what came after this row" relies on that. The commit itself does not wait for the disk while
# others wait for the lock: FLUSH does, after it, many writers sharing one fsync.
WRITE_LOCK = 0x4B65796C696E65  # "Keyline"
LOCK = f"SELECT pg_advisory_xact_lock({WRITE_LOCK})"
LATE_FLUSH = "SET LOCAL synchronous_commit = off"
# A transaction of its own that writes to the log waits until the log, with all commits before it, is on disk.
FLUSH = "SELECT pg_logical_emit_message(true, 'keyline', '')"
SETTINGS = "-c timezone=UTC -c client_encoding=UTF8 -c synchronous_commit=on"
# How a transaction of the writing engine begins, sent in one piece. Each answer of the server that it waits for costs
# this writer, and all who wait for it, a tenth of a millisecond.
BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"
OPENING = "opening"
# Two engines a process, an app of at most 40 threads and a few jobs: PostgreSQL takes 100 connections by default.
POOL = {"pool_size": 5, "max_overflow": 15, "pool_timeout": BUSY_TIMEOUT_MS / 1000}


# What SQLAlchemy raises when another process held the write lock for longer than the timeout.
DatabaseBusy = OperationalError


def lost_connection(error: Exception) -> bool:
    """Whether the server ended the connection in the middle: a write that counts only once may be tried again."""
    # Where the loss itself was caught, the session's next statement raises this: its transaction is gone.
    return getattr(error, "connection_invalidated", False) or isinstance(error, PendingRollbackError)


class DatabaseNewerThanCode(RuntimeError):
    """The database was migrated by a newer release; opening it with this one could lose data."""


class UnsafeDatabase(SQLAlchemyError):
    """A database that takes nothing more; the message says why, and the way back."""


def postgresql_address(url: str) -> URL:
    """The address of a PostgreSQL database. Raises ValueError for a URL of another kind, without repeating it."""
    try:
        made = make_url(url)
    except ArgumentError:
        made = None
    if made is None or made.get_backend_name() not in ("postgresql", "postgres"):
        raise ValueError("the address must begin with postgresql://; without DATABASE_URL Keyline keeps a SQLite file")
    return made.set(drivername="postgresql+psycopg")


def server_name(url: URL) -> str:
    """A PostgreSQL database by its name and server, without the password."""
    return f"{url.database} on {url.host or url.query.get('host') or 'this machine'}"


# Releases that got a fix which came with a later one, by the branch of the release.
_FIXED_IN: dict[tuple[int, ...], tuple[int, ...]] = {(3, 50): (3, 50, 7), (3, 44): (3, 44, 6)}


def wal_is_safe(version: tuple[int, ...]) -> bool:
    """Whether WAL may be used with this SQLite: 3.7.0 to 3.51.2 can corrupt it (sqlite.org/wal.html#walresetbug).

    Fixed in 3.51.3, back-ported to 3.50.7 and 3.44.6; 3.52.0 was withdrawn.
    """
    if version[:2] in _FIXED_IN:
        return version >= _FIXED_IN[version[:2]]
    return version >= (3, 51, 3) and version[:2] != (3, 52)


def connection_pragmas(*, read_only: bool, module: ModuleType = sqlite_module) -> list[str]:
    """The settings of every connection to SQLite: durable commits, foreign keys, no trust in schema functions."""
    wal = wal_is_safe(module.sqlite_version_info)
    journal = ["journal_mode=WAL", "synchronous=FULL"] if wal else ["journal_mode=DELETE", "synchronous=EXTRA"]
    pragmas = [
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        *journal,
        "foreign_keys=ON",
        "trusted_schema=OFF",
        "cache_size=-65536",
        # Unless told otherwise the log keeps its size after a large import: 195 MB after 200,000 sentences.
        "journal_size_limit=33554432",
    ]
    return [*pragmas, "query_only=ON"] if read_only else pragmas


def engine(address: Address, *, read_only: bool = False) -> Engine:
    """The engine of a database. Read-only ones see one snapshot a transaction and cannot write."""
    return _engine(address, read_only)


@lru_cache(maxsize=8)
def _engine(address: Address, read_only: bool) -> Engine:
    return _postgresql(address, read_only) if isinstance(address, URL) else _sqlite(address, read_only)


def _sqlite(path: Path, read_only: bool) -> Engine:
    """Write transactions begin IMMEDIATE, since busy_timeout is not honoured when a deferred transaction reads first
    and writes later. Errors tell no values, of neither database: they are logged, and values are what people wrote."""
    made = create_engine(
        f"sqlite:///{path}",
        module=sqlite_module,
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000},
        hide_parameters=True,
    )

    @event.listens_for(made, "connect")
    def set_up(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        # SQLite's own knows the letters a to z alone, and titles hold Greek and German ones.
        connection.create_function("lower", 1, _lower, deterministic=True)
        for pragma in connection_pragmas(read_only=read_only):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(made, "begin")
    def begin(connection: Any) -> None:
        if not read_only:  # each time, since the connection goes from one writer to the next
            left = connection.get_execution_options().get(PATIENCE, BUSY_TIMEOUT_MS)
            connection.exec_driver_sql(f"PRAGMA busy_timeout={left}")
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    return made


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def driver_words(error: Exception) -> str:
    """What the database itself says of an error: SQLAlchemy's own message holds the whole SQL statement."""
    return str(getattr(error, "orig", None) or error)


def what_is_damaged(path: Path) -> str:
    """The damage of a SQLite file, which is checked whole, in words; empty where it is sound.

    Reads while others work with it. Raises DatabaseBusy where it cannot be read just now.
    """
    try:
        with closing(sqlite_module.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite_module.OperationalError as error:
        raise DatabaseBusy("PRAGMA quick_check", None, error) from error
    except sqlite_module.DatabaseError as error:
        return str(error)
    return "" if found == "ok" else str(found)


def _postgresql(url: URL, read_only: bool) -> Engine:
    """Writers see what was committed before they got the lock: each statement has its own snapshot."""
    if read_only:
        settings = {"options": f"{SETTINGS} -c default_transaction_read_only=on"}
        return create_engine(
            url,
            isolation_level="REPEATABLE READ",
            connect_args=settings,
            hide_parameters=True,
            pool_pre_ping=True,
            **POOL,
        )
    # To the driver each statement is a transaction of its own; where a transaction begins is said below.
    made = create_engine(
        url, isolation_level="AUTOCOMMIT", connect_args={"options": SETTINGS}, hide_parameters=True, **POOL
    )

    @event.listens_for(made, "begin")
    def begin(connection: Connection) -> None:
        if opening := connection.get_execution_options().get(OPENING, BEGIN):
            connection.exec_driver_sql(opening)

    return made


@contextmanager
def reading(address: Address) -> Iterator[Session]:
    """A session on one consistent snapshot that cannot write."""
    with Session(engine(address, read_only=True), expire_on_commit=False) as session:
        yield session


@contextmanager
def writing(address: Address, *, since: float | None = None) -> Iterator[Session]:
    """One write transaction: on disk when the block has ended, rolled back whole on any error.

    Raises DatabaseBusy where others write for longer than BUSY_TIMEOUT_MS, counted from now or from `since`, a moment
    of time.monotonic.
    """
    if isinstance(address, URL):
        with ExitStack() as held:
            with _through_gate(since) as left:
                connection = held.enter_context(closing(_locked(address, left)))
                # The session commits what `_locked` began.
                session = Session(connection, expire_on_commit=False, join_transaction_mode="control_fully")
                with session, session.begin():
                    yield session
            connection.execution_options(**{OPENING: ""}).exec_driver_sql(FLUSH)
    else:
        with _through_gate(since) as left:
            writer = engine(address).execution_options(**{PATIENCE: left})
            with Session(writer, expire_on_commit=False) as session, session.begin():
                yield session


def _locked(url: URL, milliseconds: int) -> Connection:
    """A connection in a transaction that holds the write lock, waited for so long.

    One that the server had ended while it was idle is replaced, once: that is seen by its first statement here.
    """
    opening = f"{BEGIN}; {LATE_FLUSH}; SET LOCAL lock_timeout = {milliseconds}; {LOCK}"
    for is_last in (False, True):
        with ExitStack() as unless_locked:
            connection = unless_locked.enter_context(closing(engine(url).connect()))
            try:
                connection.execution_options(**{OPENING: opening}).begin()
            except SQLAlchemyError as error:
                if is_last or not lost_connection(error):
                    raise
            else:
                unless_locked.pop_all()
                return connection
    raise AssertionError("not reached")


@contextmanager
def _through_gate(since: float | None) -> Iterator[int]:
    """One writer of this process at a time; yields the milliseconds that are left to wait for other processes.

    Raises DatabaseBusy where other writers of this process used them all up: no writer waits longer than that.
    """
    until = (time.monotonic() if since is None else since) + BUSY_TIMEOUT_MS / 1000
    if not _gate.acquire(timeout=max(0.0, until - time.monotonic())):
        raise DatabaseBusy("BEGIN IMMEDIATE", None, TimeoutError("database is locked: other writers wait for it too"))
    try:
        yield max(1, round((until - time.monotonic()) * 1000))
    finally:
        _gate.release()


# Who waits for a shared commit waits for what all of them do: a verdict takes about a millisecond.
MOST = 32
T = TypeVar("T")


@dataclass(eq=False, slots=True)
class _Turn:
    """What one thread wants to have written."""

    address: Address
    work: Callable[[Session], Any]
    since: float = field(default_factory=time.monotonic)
    is_over: bool = False
    results: list[Any] = field(default_factory=list)  # one, where it was stored with others


class _Line:
    """The writers that wait. One of them writes for all that came meanwhile; a later one waits for the next turn."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[_Turn] = []
        self._is_led = False

    def serve(self, turn: _Turn) -> None:
        """Returns when the turn is over, whichever thread did it: with its result, or without one where it must be done
        separately."""
        with self._changed:
            self._waiting.append(turn)
        while taken := self._taken_by(turn):
            try:
                _write(taken)
            finally:
                self._end(taken)

    def _taken_by(self, turn: _Turn) -> list[_Turn]:
        """Waits until no thread leads; the turns to write for now, or none where this turn is over."""
        with self._changed:
            self._changed.wait_for(lambda: turn.is_over or not self._is_led)
            if turn.is_over:
                return []
            self._is_led = True
            taken = [each for each in self._waiting if each.address == turn.address][:MOST]
            self._waiting = [each for each in self._waiting if each not in taken]
            return taken

    def _end(self, taken: list[_Turn]) -> None:
        with self._changed:
            self._is_led = False
            for turn in taken:
                turn.is_over = True
            self._changed.notify_all()


_line = _Line()


def write_together(address: Address, work: Callable[[Session], T]) -> T:
    """What `work` returns, in a write transaction that it may share; on disk when this returns, as with `writing`.

    Another thread may call `work`. It is called again, in a transaction of its own, where the shared one failed:
    calling it twice must store things once. Raises what `work` raises, and as `writing` does.
    """
    turn = _Turn(address, work)
    _line.serve(turn)
    if not turn.results:
        _write_one(turn)
    (result,) = turn.results
    return cast("T", result)


def _write(turns: list[_Turn]) -> None:
    """Stores what all of them want, or nothing. After an error each is stored by itself, and meets only its own."""
    if len(turns) == 1:
        _write_one(turns[0])
        return
    with suppress(Exception):
        results = []
        with writing(turns[0].address, since=turns[0].since) as session:
            for turn in turns:
                results.append(turn.work(session))
                session.flush()
                session.expunge_all()  # the next one reads for itself
        for turn, result in zip(turns, results, strict=True):
            turn.results.append(result)


def _write_one(turn: _Turn) -> None:
    with writing(turn.address, since=turn.since) as session:
        result = turn.work(session)
    turn.results.append(result)
