"""Write transactions that begin while the same thread reads: without WAL such a one waits for itself, and is lost.

Every process of a run notices its own and writes where it happened to one file, which each test finds empty in the end.
"""

import os
import threading
import traceback
from functools import cache
from pathlib import Path
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, event

from tests.support.paths import ROOT

# How the processes that tests start know of the file.
FILE = "KEYLINE_TESTS_WAITING_WRITERS"
OURS = tuple(str(ROOT / room) for room in ("annotate", "db", "model", "pages", "tests"))
READ_ONLY = "is read only"


class _Here(threading.local):
    """Of a thread: which file it reads now, by connection."""

    def __init__(self) -> None:
        self.reading: WeakKeyDictionary[Connection, str | None] = WeakKeyDictionary()


_here = _Here()


@cache
def notice() -> None:
    """From now on this process notices them."""
    event.listen(Engine, "begin", _begin)
    for name in ("commit", "rollback"):
        event.listen(Engine, name, _end)


def noticed() -> str:
    """Where they happened since this was asked last: their stacks."""
    path = Path(os.environ[FILE])
    if not path.stat().st_size:
        return ""
    said = path.read_text()
    path.write_text("")
    return said


def _begin(connection: Connection) -> None:
    if connection.dialect.name != "sqlite" or FILE not in os.environ:
        return
    database = connection.engine.url.database
    if _is_read_only(connection):
        _here.reading[connection] = database
    elif database in _here.reading.values():
        ours = [each for each in traceback.extract_stack()[:-1] if each.filename.startswith(OURS)]
        with Path(os.environ[FILE]).open("a") as file:
            file.writelines(["A write began here:\n", *traceback.format_list(ours)])


def _is_read_only(connection: Connection) -> bool:
    if READ_ONLY not in connection.info:  # which lives as long as the connection to the file
        (connection.info[READ_ONLY],) = connection.connection.cursor().execute("PRAGMA query_only").fetchone()
    return bool(connection.info[READ_ONLY])


def _end(connection: Connection) -> None:
    _here.reading.pop(connection, None)
