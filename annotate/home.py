"""The data folder: where everything lives, and the only way in to its database."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from sqlalchemy.orm import Session

from db.engine import reading, writing
from db.migrate import migrate


def home() -> Path:
    """The data folder: KEYLINE_HOME, by default ./keyline-data."""
    return Path(os.environ.get("KEYLINE_HOME", "keyline-data")).resolve()


def database_path() -> Path:
    """The SQLite file; created and migrated on first use of a process."""
    path = home() / "keyline.sqlite"
    _migrate_once(path)
    return path


@lru_cache(maxsize=8)
def _migrate_once(path: Path) -> None:
    migrate(path)


@contextmanager
def read() -> Iterator[Session]:
    """A session on one snapshot that cannot write."""
    with reading(database_path()) as session:
        yield session


@contextmanager
def write() -> Iterator[Session]:
    """One write transaction: on disk when the block has ended, rolled back whole on an error."""
    with writing(database_path()) as session:
        yield session


def folder(name: str) -> Path:
    """A sub-folder of the data folder (models, jobs, uploads), made if missing."""
    path = home() / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def signing_secret() -> bytes:
    """The key that signs review pages: 32 random bytes, made once, readable by the owner alone."""
    path = home() / "secret.key"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_bytes(32))
    return path.read_bytes()
