"""Copies of the SQLite database: how one is checked before it is trusted, and made ready before it is used."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from db.base import utc_now
from db.engine import DATABASE_ERRORS, DatabaseNewerThanCode, sqlite_module
from db.jobs import ACTIVE
from db.migrate import migration_scripts
from db.operations.seals import note_of
from db.tables import ApiToken, Job, LoginSession
from db.values import JobState

DISK = ("SQLITE_IOERR", "SQLITE_FULL", "SQLITE_CANTOPEN")  # how SQLite names errors of a disk, not of a database
STOPPED = "it was running when the backup was made"


class DamagedCopy(RuntimeError):
    """A file that is no sound database of Keyline; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A sound copy: its schema's revision, and the rows of each table."""

    schema: str
    rows: dict[str, int]


def examine(path: Path) -> Examined:
    """What a copy holds, after SQLite's own checks of the whole file and of the foreign keys.

    Raises DamagedCopy, OSError where the disk fails or is full, and DatabaseNewerThanCode for the copy of a later
    release.
    """
    with _opened(path) as connection:
        try:
            complaints = [row[0] for row in connection.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
            orphans = connection.execute("PRAGMA foreign_key_check").fetchmany(3)
            (schema,) = connection.execute("SELECT version_num FROM alembic_version").fetchone() or (None,)
            tables = _tables(connection)
            rows = {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}
        except DATABASE_ERRORS as error:
            if getattr(error, "sqlite_errorname", "").startswith(DISK):
                raise OSError(f"{path.name} could not be checked: {error}; the disk may be full") from error
            raise DamagedCopy(f"{path.name} is no sound database: {error}") from error
    if complaints:
        raise DamagedCopy(f"{path.name} is damaged: {'; '.join(complaints)}")
    if orphans:
        raise DamagedCopy(f"{path.name} holds rows that refer to none: table {orphans[0][0]}, row {orphans[0][1]}")
    known = {script.revision for script in migration_scripts().walk_revisions()}
    if schema not in known:
        raise DatabaseNewerThanCode(f"the backup is of a newer release (schema {schema}); update Keyline to restore it")
    return Examined(schema, rows)


def settle(path: Path) -> None:
    """Ends what lasted when a copy was made that is about to be used: jobs that ran, logins and API tokens.

    What was ended after the copy was made must not work again.
    """
    with _opened(path) as connection, connection:
        now = utc_now()
        marks = ", ".join("?" * len(ACTIVE))
        connection.execute(
            f"UPDATE job SET state = ?, error = ?, finished_at = ? WHERE state IN ({marks})",
            (JobState.CANCELLED, STOPPED, now, *ACTIVE),
        )
        tables = _tables(connection)
        for table, column in (("login_session", "ended_at"), ("api_token", "revoked_at")):
            if table in tables:
                if "seal" in tables:
                    connection.execute(note_of(table, f"{column} IS NULL"))
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} IS NULL", (now,))


def settle_here(session: Session) -> None:
    """As `settle`, in the open database."""
    now = utc_now()
    stopped = {"state": JobState.CANCELLED, "error": STOPPED, "finished_at": now}
    session.execute(update(Job).where(Job.state.in_(ACTIVE)).values(**stopped))
    session.execute(update(LoginSession).where(LoginSession.ended_at.is_(None)).values(ended_at=now))
    session.execute(update(ApiToken).where(ApiToken.revoked_at.is_(None)).values(revoked_at=now))


def _tables(connection: Any) -> list[str]:
    """The tables of Keyline in this file: a copy of an earlier release lacks some, and has some that were joined."""
    found = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    own = found - {"alembic_version"}
    return sorted(name for name in own if name.isidentifier() and not name.startswith("sqlite_"))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    with closing(sqlite_module.connect(path)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        yield connection
