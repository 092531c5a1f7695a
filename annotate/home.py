"""The data folder: where everything lives, and the only way in to its database."""

import os
import secrets
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from sqlalchemy.orm import Session

from db.engine import reading, writing
from db.migrate import migrate

SECRET_BYTES = 32
_migrating = threading.Lock()


class DamagedSecret(RuntimeError):
    """The file of the signing key holds something else."""


def home() -> Path:
    """The data folder: KEYLINE_HOME, by default ./keyline-data."""
    return Path(os.environ.get("KEYLINE_HOME", "keyline-data")).resolve()


def database_path() -> Path:
    """The SQLite file; created and migrated on first use of a process."""
    path = home() / "keyline.sqlite"
    with _migrating:  # Alembic is not made for threads, and the app's own begin beside the first page's
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
    """The key that signs review pages: 32 random bytes, made once, readable by the owner alone.

    Raises DamagedSecret for a file of another length: with an empty key anybody could sign.
    """
    path = home() / "secret.key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        _make_secret(path)
    secret = path.read_bytes()
    if len(secret) != SECRET_BYTES:
        raise DamagedSecret(f"{path.name} is damaged: delete it, then load open review pages anew")
    return secret


def _make_secret(path: Path) -> None:
    handle, partial = tempfile.mkstemp(dir=path.parent)  # readable by the owner alone
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(SECRET_BYTES))
            file.flush()
            os.fsync(file.fileno())
        # A link appears with its content, and never in place of the key that another process has just made.
        with suppress(FileExistsError):
            os.link(partial, path)
    finally:
        Path(partial).unlink()
