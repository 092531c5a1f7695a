"""Whether the database is this data folder's own: there, whole, and still the one that was opened.

An empty database looks like a new project, and a damaged one answers until a question needs the damaged part. So a
folder that was in use never gets a new database, and a file that is damaged, moved or replaced takes nothing more.
"""

import threading
from contextlib import suppress
from pathlib import Path

from annotate.project import logs
from annotate.project.release import PROGRAM
from db.engine import DATABASE_ERRORS, Address, DatabaseBusy, UnsafeDatabase, driver_words, server_name, what_is_damaged
from db.migrate import schema_version
from db.operations.copying import is_unfinished, text_encoding

# Written once the folder has had a database.
MARK = "keyline.made"
MARK_TEXT = "This folder has had a database. Without it Keyline does not start here; see docs/backups.md, Restore.\n"
# Written once the database was copied to PostgreSQL: without DATABASE_URL people would go on with the old file.
MOVED = "keyline.moved"
# Names in the data folder.
BACKUPS = "backups"
SECRET = "secret.key"
SQLITE_NAME = "keyline.sqlite"
ENCODING = "UTF8"  # of a PostgreSQL database
# The start waits so long for the check of the whole file; a larger one is checked on while the app serves.
CHECK_SECONDS = 2.0

_opened: dict[Path, tuple[int, int]] = {}  # path -> device and number of the file that was opened
_marked: set[Path] = set()  # data folders that this process has opened, each with its mark
_damaged: dict[Path, str] = {}  # path -> what the check found


def check_before(address: Address, folder: Path) -> None:
    """Raises UnsafeDatabase in four cases. The data folder was in use, and its database is missing, empty or no
    database. It was copied to PostgreSQL. A copy into the database has not ended. The database cannot hold every
    letter. Raises DatabaseBusy."""
    if not isinstance(address, Path):
        _check_server(address, server_name(address))
    elif (moved := folder / MOVED).exists():
        raise UnsafeDatabase(f"{moved.read_text()} Set DATABASE_URL; or, to go on with {address.name}, remove {moved}.")
    # Folders of earlier releases have no mark, but a key once somebody has reviewed.
    if not ((folder / MARK).exists() or (folder / SECRET).exists() or _last_backup(folder)):
        return
    if isinstance(address, Path):
        _check_file(address)
    elif schema_version(address) is None:
        raise UnsafeDatabase(_empty_server(server_name(address), folder))


def _check_server(address: Address, name: str) -> None:
    if (encoding := text_encoding(address)) != ENCODING:
        raise UnsafeDatabase(
            f"the PostgreSQL database {name} keeps text as {encoding}, which cannot hold every letter "
            f"of an article. Make one with: CREATE DATABASE name TEMPLATE template0 ENCODING '{ENCODING}'"
        )
    if is_unfinished(address):
        raise UnsafeDatabase(
            f"a copy into the PostgreSQL database {name} has not finished: it holds nothing of the "
            f'project yet. Wait for it, or start it again: {PROGRAM} copy --to "$DATABASE_URL"'
        )


def _check_file(path: Path) -> None:
    if not path.exists():
        raise UnsafeDatabase(f"{path} is missing, though this data folder was in use. {_way_back(path)}")
    try:
        is_empty = path.stat().st_size == 0 or schema_version(path) is None
    except DatabaseBusy:
        raise
    except DATABASE_ERRORS as error:
        raise _damage(path, driver_words(error)) from error
    if is_empty:
        raise UnsafeDatabase(f"{path} is empty, though this data folder was in use. {_way_back(path)}")


def remember(address: Address, folder: Path) -> None:
    """Notes that this folder has a database, and of a file which one it is."""
    mark = folder / MARK
    if not mark.exists():
        with suppress(OSError):  # a full disk: what is there can still be read, and the next start marks it
            mark.write_text(MARK_TEXT)
    if mark.exists():
        _marked.add(folder)
    if isinstance(address, Path):
        _opened[address] = _identity(address)


def note_move(folder: Path, name: str) -> None:
    """Notes that this folder's project moved to the PostgreSQL database of this name."""
    with suppress(OSError):  # a full disk: the project has moved all the same
        (folder / MOVED).write_text(f"This project moved to the PostgreSQL database {name}.")


def is_gone(folder: Path) -> bool:
    """Whether a data folder that this process has opened is no longer at its place, or another one is."""
    return folder in _marked and not (folder / MARK).exists()


def check_folder(folder: Path) -> None:
    """Raises UnsafeDatabase where the data folder was moved away since: an empty one in its place would look like a
    new project."""
    if is_gone(folder):
        raise UnsafeDatabase(
            f"the data folder {folder} was moved or removed while Keyline ran. Stop Keyline, put it back, start it."
        )


def check(path: Path) -> None:
    """Raises UnsafeDatabase where the open database was moved or replaced, or was found to be damaged."""
    if path in _damaged:
        raise UnsafeDatabase(_damaged[path])
    try:
        same = _opened.get(path) in (None, _identity(path))
    except OSError:
        same = False
    if not same:
        raise UnsafeDatabase(
            f"{path} was moved or replaced while Keyline ran. Stop Keyline, put it back, start Keyline."
        )


def check_whole(path: Path, seconds: float = CHECK_SECONDS) -> None:
    """Looks through the whole file; goes on in a thread where that takes longer.

    Raises UnsafeDatabase for damage found in time; later finds are logged, and `check` raises it from then on.
    """
    checking = threading.Thread(target=_look_through, args=(path,), name="checking", daemon=True)
    checking.start()
    checking.join(seconds)
    if path in _damaged:
        raise UnsafeDatabase(_damaged[path])


def _look_through(path: Path) -> None:
    try:
        found = what_is_damaged(path)
    except DatabaseBusy as error:  # or not readable just now: nothing is known
        logs.warning("database not checked", reason=str(error))
        return
    if found:
        problem = _damage(path, found)
        _damaged[path] = str(problem)
        logs.error("database damaged", problem)


def _damage(path: Path, found: str) -> UnsafeDatabase:
    return UnsafeDatabase(f"{path} is damaged ({found.splitlines()[0]}). Keep it as it is. {_way_back(path)}")


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _last_backup(folder: Path) -> Path | None:
    return max((folder / BACKUPS).glob("keyline-*.tar"), key=lambda path: path.name, default=None)  # by their numbers


def _way_back(path: Path) -> str:
    backup = _last_backup(path.parent)
    if backup is None:
        return (
            f"There is no backup in {path.parent / BACKUPS}. Put the file back, or set KEYLINE_HOME to another folder "
            "to start again (DATABASE_URL, if the project is on PostgreSQL)."
        )
    return (
        "Restore the last backup into a new folder, then use that: "
        f"KEYLINE_HOME={path.parent}-restored {PROGRAM} restore {backup}"
    )


def _empty_server(name: str, folder: Path) -> str:
    """Why an empty PostgreSQL database is not taken for a new project, and the way back."""
    problem = f"the PostgreSQL database {name} is empty, though the data folder {folder} was in use."
    restart = "To start again, set KEYLINE_HOME to another folder."
    if (folder / SQLITE_NAME).exists():
        move = f'Take {SQLITE_NAME} there first: {PROGRAM} copy --to "$DATABASE_URL".'
        return f"{problem} {move} {restart}"
    return (
        f"{problem} See whether DATABASE_URL names the right one. If it was lost, restore the last backup into it: "
        'pg_restore --no-owner --exit-on-error --single-transaction --dbname="$DATABASE_URL" keyline.dump, then '
        f"{PROGRAM} restore --after-pg-restore. {restart}"
    )
