"""Whether the app can do its work now: the database answers, takes writes, and has room to grow."""

import shutil
import threading
import time

import db.operations.counts
from annotate.project.acting import KEYLINE, acting
from annotate.project.home import DamagedSecret, check_secret, home, read, write
from annotate.project.own_database import is_gone
from annotate.project.rights import Right
from db.engine import DATABASE_ERRORS

# A disk with less than this is too full for SQLite: a checkpoint may need that much.
FULL_BYTES = 50_000_000
# Anybody may ask, so that the answer is not worked out more often than this.
KEEP_SECONDS = 2.0
_lock = threading.Lock()
_last: dict[str, tuple[float, str | None, str]] = {}


def health() -> tuple[str | None, str]:
    """(None, the schema) where all is well, else (the problem, in a word or two, and the schema or nothing)."""
    with _lock:  # one asks, the others wait for its answer
        where = str(home())
        at, problem, schema = _last.get(where, (-KEEP_SECONDS, None, ""))
        if time.monotonic() - at >= KEEP_SECONDS:
            problem, schema = _examine()
            _last[where] = (time.monotonic(), problem, schema)
    return problem, schema


def _examine() -> tuple[str | None, str]:
    try:
        with read() as session:
            schema = db.operations.counts.schema_of(session)
    except (*DATABASE_ERRORS, OSError, RuntimeError):
        return "data folder moved away" if is_gone(home()) else "database not readable", ""
    try:
        check_secret()
    except DamagedSecret:
        return "signing key damaged", schema
    try:
        with acting(KEYLINE), write(Right.SYSTEM) as session:
            db.operations.counts.schema_of(session)  # takes the write lock and gives it back: nothing is written
    except (*DATABASE_ERRORS, OSError):
        return "database not writable", schema
    try:
        full = shutil.disk_usage(home()).free < FULL_BYTES
    except OSError:
        return "data folder not readable", schema
    return ("disk full" if full else None), schema
