"""The data folder: where everything lives, and the only way in to the database, by default a file in it."""

import os
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy.orm import Session

import db.engine
import db.operations.seals  # has every writer note what is to be sealed
from annotate.project import own_database
from annotate.project.acting import acting, current_actor, demand
from annotate.project.rights import Right
from annotate.project.whole_files import OWNER_ONLY, whole_file
from db.engine import Address, postgresql_address, reading, writing
from db.migrate import migrate

SECRET_BYTES = 32
P = ParamSpec("P")
T = TypeVar("T")
_migrating = threading.Lock()


class DamagedSecret(RuntimeError):
    """The file of the signing key holds something else."""


def home() -> Path:
    """The data folder: KEYLINE_HOME, by default ./keyline-data."""
    return Path(os.environ.get("KEYLINE_HOME", "keyline-data")).resolve()


def database() -> Address:
    """Where the database is: the PostgreSQL of DATABASE_URL, else a SQLite file in the data folder.

    On first use in a process, the database and the data folder are made and migrated. Raises ValueError for a URL of
    another kind of database. Raises UnsafeDatabase for one that is damaged, another one than before, or missing or
    empty though the folder was in use.
    """
    address = database_address()
    with _migrating:  # Alembic is not made for threads, and the app starts its own while the first page runs
        _migrate_once(address)
    own_database.check_folder(home())
    if isinstance(address, Path):
        own_database.check(address)
    return address


def database_address() -> Address:
    """The address of the project's database, without opening it."""
    given = os.environ.get("DATABASE_URL")
    return postgresql_address(given) if given else sqlite_file()


def sqlite_file() -> Path:
    """The SQLite file of the data folder, whether it is there and in use or not."""
    return home() / own_database.SQLITE_NAME


@lru_cache(maxsize=8)
def _migrate_once(address: Address) -> None:
    _make_home()
    own_database.check_before(address, home())
    migrate(address)
    own_database.remember(address, home())


def _make_home() -> None:
    """Makes the data folder, for its owner only, under any umask of the process.

    Raises UnsafeDatabase where this process has used it, and it was moved away since.
    """
    own_database.check_folder(home())
    home().mkdir(mode=0o700, parents=True, exist_ok=True)


@contextmanager
def read() -> Iterator[Session]:
    """A session on one snapshot that cannot write."""
    with reading(database()) as session:
        yield session


def look_up(query: Callable[Concatenate[Session, P], T], *given: P.args, **more: P.kwargs) -> T:
    """What one query finds, in a session of its own that cannot write."""
    with read() as session:
        return query(session, *given, **more)


@contextmanager
def write(right: Right) -> Iterator[Session]:
    """One write transaction: on disk when the block has ended, rolled back whole on an error.

    Raises Forbidden unless the actor has the right, asked of the database within the transaction.
    """
    with writing(database()) as session:
        demand(session, right)
        yield session


def write_together(right: Right, work: Callable[[Session], T]) -> T:
    """What `work` returns, called in a write transaction that other writers of the same moment may share.

    It may be called again, and by another thread, as db.engine.write_together says, always as the present actor.
    Raises as `write`.
    """
    actor = current_actor()

    def asked(session: Session) -> T:
        with acting(actor):
            demand(session, right)
            return work(session)

    return db.engine.write_together(database(), asked)


def folder(name: str) -> Path:
    """A sub-folder of the data folder (models, jobs, uploads), made if missing.

    Raises UnsafeDatabase where the data folder was moved away while it was used.
    """
    _make_home()
    path = home() / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def signing_secret() -> bytes:
    """The key that signs review pages: 32 random bytes, made once, that only the owner can read.

    Raises DamagedSecret for a file of another length: with an empty key anybody could sign. Raises UnsafeDatabase where
    the data folder was moved away while it was used.
    """
    path = home() / own_database.SECRET
    if not path.exists():
        _make_home()
        with whole_file(path, mode=OWNER_ONLY, keep_existing=True) as partial:
            partial.write_bytes(secrets.token_bytes(SECRET_BYTES))
    return _read_secret(path)


def check_secret() -> None:
    """Raises DamagedSecret where there is a signing key that cannot be one."""
    path = home() / own_database.SECRET
    if path.exists() or path.is_symlink():
        _read_secret(path)


def _read_secret(path: Path) -> bytes:
    try:
        secret = path.read_bytes()
    except OSError as error:  # a folder, a link that leads nowhere, a file of another user
        raise DamagedSecret(
            f"{path.name} cannot be read ({error.strerror}): put the file back, or move away what is there, then load "
            "open review pages again"
        ) from error
    if len(secret) != SECRET_BYTES:
        raise DamagedSecret(f"{path.name} is damaged: delete it, then load open review pages again")
    return secret
