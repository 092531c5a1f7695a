"""A write transaction that begins while the same thread reads: without WAL it would wait for itself, and be lost."""

import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, event

_here = threading.local()


def _is_read_only(connection: Connection) -> bool:
    (answer,) = connection.connection.cursor().execute("PRAGMA query_only").fetchone()
    return bool(answer)


def _reads_here() -> dict[int, str | None]:
    """The databases that this thread reads now, by connection."""
    if not hasattr(_here, "reads"):
        _here.reads = {}
    return _here.reads


@contextmanager
def writers_noticed() -> Iterator[list[str]]:
    """Where write transactions began while their thread read the same SQLite file; filled while the block goes on."""
    found: list[str] = []

    def begin(connection: Connection) -> None:
        if connection.dialect.name != "sqlite":
            return
        database = connection.engine.url.database
        if _is_read_only(connection):
            _reads_here()[id(connection)] = database
        elif database in _reads_here().values():
            found.append("".join(traceback.format_stack(limit=40)))

    def end(connection: Connection) -> None:
        _reads_here().pop(id(connection), None)

    listeners = (("begin", begin), ("commit", end), ("rollback", end))
    for name, listener in listeners:
        event.listen(Engine, name, listener)
    try:
        yield found
    finally:
        for name, listener in listeners:
            event.remove(Engine, name, listener)
