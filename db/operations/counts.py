"""How much there is of everything, and how large the database is: for the status page and for metrics."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from db.engine import Address, sqlite_module, wal_is_safe
from db.tables import Job


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """Facts about the database: its kind and version, its size and its write-ahead log's, how it is journalled.

    `wal_refused` where this SQLite would corrupt a write-ahead log, so that Keyline works without.
    """

    kind: str
    version: str
    schema: str
    bytes: int
    wal_bytes: int
    journal: str
    wal_refused: bool


def facts(session: Session, address: Address) -> DatabaseFacts:
    """What the status page and the metrics show of the database."""
    schema = schema_of(session)
    if not isinstance(address, Path):
        size = session.scalar(select(func.pg_database_size(func.current_database()))) or 0
        version = session.scalar(text("SHOW server_version")) or ""
        return DatabaseFacts("PostgreSQL", version, schema, int(size), 0, "", False)
    journal = session.scalar(text("PRAGMA journal_mode")) or ""
    return DatabaseFacts(
        "SQLite",
        sqlite_module.sqlite_version,
        schema,
        _size(address),
        _size(address.with_name(f"{address.name}-wal")),
        journal.upper(),
        not wal_is_safe(sqlite_module.sqlite_version_info),
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def schema_of(session: Session) -> str:
    """The revision of the database."""
    return session.scalar(text("SELECT version_num FROM alembic_version")) or ""


def jobs_by_state(session: Session) -> dict[str, int]:
    """How many jobs are in each state."""
    return dict(session.execute(select(Job.state, func.count()).group_by(Job.state)).tuples().all())
