"""A data folder keeps its database: none is made anew in its place, a damaged, moved or replaced one takes nothing."""

import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from annotate.project import home as data_folder
from annotate.project import own_database
from annotate.project.home import database, read, signing_secret, write
from annotate.project.own_database import MARK, check_whole
from annotate.project.rights import Right
from db.engine import DatabaseBusy, UnsafeDatabase, engine, sqlite_module
from tests.support.making import judge, paper, query, store, verdict
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.sqlite("its file"), pytest.mark.usefixtures("home")]


@pytest.fixture
def path() -> Path:
    """The database of a folder in use, opened by nobody: as when the app was stopped."""
    store(paper(body=[f"Sentence {number} of many." for number in range(3_000)], pmid="1"))
    judge("Anna", 1, verdict(0))
    signing_secret()
    return closed()


def closed() -> Path:
    """Forgets that this process has opened its database; returns the file."""
    found = database()
    assert isinstance(found, Path)
    for read_only in (False, True):
        engine(found, read_only=read_only).dispose()
    data_folder._migrate_once.cache_clear()
    own_database._opened.clear()
    own_database._marked.clear()
    own_database._damaged.clear()
    return found


def missing(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def without_tables(path: Path) -> None:
    path.unlink()
    with engine(path).begin() as connection:
        connection.exec_driver_sql("CREATE TABLE other (id INTEGER)")
    engine(path).dispose()


def beheaded(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"x" * 100)


def halved(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def overwritten(path: Path) -> None:
    """The pages of two tables hold something else: most questions get their answers."""
    with closing(sqlite3.connect(path)) as connection:
        wanted = "SELECT rootpage FROM sqlite_master WHERE name IN ('finished_run', 'own_function')"
        pages = [page for (page,) in connection.execute(wanted)]
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * 4096)
            file.write(b"\xff" * 4096)


NO_PROJECT: dict[Callable[[Path], None], str] = {
    missing: "is missing",
    empty: "is empty",
    without_tables: "is empty",
    beheaded: "is damaged",
}


@pytest.mark.parametrize("happens", NO_PROJECT)
@pytest.mark.parametrize("mark", [MARK, "secret.key", "backups/keyline-000007-abc.tar"])
def test_a_folder_that_was_in_use_gets_no_new_database(path, happens, mark):
    backup = path.parent / "backups" / "keyline-000007-abc.tar"
    for name in {MARK, "secret.key"} - {mark}:
        (path.parent / name).unlink()
    if mark.startswith("backups"):
        backup.parent.mkdir()
        backup.touch()
    happens(path)
    for use in (read, lambda: write(Right.SYSTEM)):
        with pytest.raises(UnsafeDatabase, match=NO_PROJECT[happens]) as caught, use():
            pass
    way = f"annotate restore {backup}" if mark.startswith("backups") else "There is no backup"
    assert way in str(caught.value)
    assert path.exists() == (happens is not missing)


def test_a_database_that_another_process_locks_is_not_called_damaged(path, monkeypatch):
    monkeypatch.setattr("db.engine.BUSY_TIMEOUT_MS", 1)
    with closing(sqlite_module.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DatabaseBusy), read():
            pass
    assert query("SELECT count(*) FROM annotator") == [(1,)]


def test_a_new_folder_gets_one_and_says_from_then_on_that_it_has_one():
    assert query("SELECT count(*) FROM article") == [(0,)]
    made = closed()
    assert (made.parent / MARK).exists()
    assert query("SELECT count(*) FROM article") == [(0,)]


@pytest.mark.parametrize("happens", [halved, overwritten])
def test_damage_is_found_at_the_start_and_nothing_more_is_taken(path, happens):
    happens(path)
    with pytest.raises(UnsafeDatabase, match=r"is damaged .* Keep it as it is"):
        check_whole(path, 60)
    for use in (read, lambda: write(Right.SYSTEM)):
        with pytest.raises(UnsafeDatabase, match="is damaged"), use():
            pass


def test_what_takes_long_is_checked_beside_the_work_and_stops_it_as_soon_as_it_is_found(path, monkeypatch):
    found, look = threading.Event(), own_database._look_through
    overwritten(path)
    monkeypatch.setattr(own_database, "_look_through", lambda path: found.wait(60) and look(path))
    check_whole(path, 0.01)
    assert query("SELECT count(*) FROM annotator") == [(1,)]
    found.set()

    def refused() -> bool:
        try:
            query("SELECT count(*) FROM annotator")
        except UnsafeDatabase:
            return True
        return False

    wait_until(refused)


def test_a_sound_file_is_found_to_be_so(path):
    check_whole(path, 60)
    assert query("SELECT count(*) FROM verdict") == [(1,)]


def test_a_file_that_is_moved_or_replaced_while_it_is_used_takes_nothing_more(path):
    assert query("SELECT count(*) FROM verdict") == [(1,)]
    aside = path.with_name("aside.sqlite")
    path.rename(aside)
    for replace in (lambda: None, lambda: shutil.copyfile(aside, path)):
        replace()
        for use in (read, lambda: write(Right.SYSTEM)):
            with pytest.raises(UnsafeDatabase, match="moved or replaced"), use():
                pass
    aside.rename(path)
    assert query("SELECT count(*) FROM verdict") == [(1,)]
