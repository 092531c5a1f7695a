"""Connections: their settings, what may write, and that writers wait for each other."""

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import IntegrityError, OperationalError

from db.engine import connection_pragmas, engine, reading, sqlite_module, wal_is_safe, writing
from db.migrate import migrate
from db.tables import Annotator, Article
from tests.support.compiling import COMPILED
from tests.support.copies import Copy


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A migrated database."""
    file = tmp_path / "keyline.sqlite"
    migrate(file)
    return file


def names(path: Path) -> list[str]:
    with reading(path) as session:
        return list(session.scalars(select(Annotator.name).order_by(Annotator.id)))


def add(session, name: str) -> None:
    session.execute(insert(Annotator).values(name=name))


def test_the_tests_compile_a_statement_once_and_each_database_answers_with_its_own_rows(tmp_path):
    """As tests.support.compiling promises: or the suite takes an eighth longer, or one test sees another's rows."""
    files = [tmp_path / name for name in ("one.sqlite", "two.sqlite")]
    for file in files:
        migrate(file)
        with writing(file) as session:
            add(session, file.stem)
    assert names(files[0]) == ["one"]
    known = len(COMPILED)
    assert names(files[1]) == ["two"]
    assert len(COMPILED) == known > 0


@pytest.mark.parametrize("read_only", [False, True])
def test_every_connection_is_durable_and_strict(path, read_only):
    with engine(path, read_only=read_only).connect() as connection:
        found = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "trusted_schema", "query_only")
        }
    journal, synchronous = ("wal", 2) if wal_is_safe(sqlite_module.sqlite_version_info) else ("delete", 3)
    assert found == {
        "journal_mode": journal,
        "synchronous": synchronous,
        "foreign_keys": 1,
        "busy_timeout": 10_000,
        "trusted_schema": 0,
        "query_only": int(read_only),
    }


def test_a_database_has_one_engine_however_it_is_asked_for(path):
    assert engine(path) is engine(path, read_only=False) is not engine(path, read_only=True)


def test_a_second_connection_of_the_pool_has_the_same_settings(path):
    with (
        engine(path).connect(),
        engine(path, read_only=True).connect() as one,
        engine(path, read_only=True).connect() as b,
    ):
        for connection in (one, b):
            assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1
            assert connection.execute(text("PRAGMA query_only")).scalar() == 1


@pytest.mark.parametrize(
    ("version", "safe"),
    [
        ((3, 40, 1), False),  # Debian 12
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 45, 0), False),
        ((3, 50, 6), False),
        ((3, 50, 7), True),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 52, 0), False),  # withdrawn
        ((3, 53, 0), True),
        ((4, 0, 0), True),
    ],
)
def test_wal_is_used_only_with_a_library_that_does_not_corrupt_it(version, safe):
    assert wal_is_safe(version) is safe
    pragmas = connection_pragmas(read_only=False, module=SimpleNamespace(sqlite_version_info=version))
    assert ("journal_mode=WAL" in pragmas, "synchronous=FULL" in pragmas) == (safe, safe)
    assert ("journal_mode=DELETE" in pragmas, "synchronous=EXTRA" in pragmas) == (not safe, not safe)


def test_a_session_that_reads_cannot_write(path):
    with reading(path) as session, pytest.raises(OperationalError, match="readonly"):
        add(session, "Anna")
    assert names(path) == []


@pytest.mark.writes_while_reading("the write is what the snapshot is not to see")
def test_a_session_that_reads_sees_one_snapshot(path):
    with reading(path) as session:
        assert session.scalars(select(Annotator.name)).all() == []
        with writing(path) as writer:
            add(writer, "Anna")
        assert session.scalars(select(Annotator.name)).all() == []
    assert names(path) == ["Anna"]


def test_a_write_is_there_when_its_block_has_ended(path):
    with writing(path) as session:
        add(session, "Anna")
    other = sqlite_module.connect(path)
    assert other.execute("SELECT name FROM annotator").fetchall() == [("Anna",)]
    other.close()


def test_an_error_rolls_the_whole_write_back_and_leaves_the_gate_open(path):
    with pytest.raises(RuntimeError, match="in the middle"), writing(path) as session:
        add(session, "Anna")
        raise RuntimeError("in the middle")
    with pytest.raises(IntegrityError), writing(path) as session:
        add(session, "Ben")
        add(session, "Ben")
    assert names(path) == []
    with writing(path) as session:
        add(session, "Chris")
    assert names(path) == ["Chris"]


def test_foreign_keys_are_enforced(path):
    with pytest.raises(IntegrityError, match="FOREIGN KEY"), writing(path) as session:
        session.execute(text("INSERT INTO section VALUES (1, 99, NULL, 0, 0, 'body', 'Results')"))


def test_a_write_transaction_holds_the_lock_from_its_first_statement_even_a_read(path):
    other = sqlite_module.connect(path, timeout=0)
    with writing(path) as session:
        session.scalars(select(Annotator.name)).all()
        with pytest.raises(sqlite_module.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
    other.execute("BEGIN IMMEDIATE")
    other.rollback()
    other.close()


WRITER = """
import sys, time
from pathlib import Path
from sqlalchemy import text
from db.engine import writing
with writing(Path(sys.argv[1])) as session:
    session.execute(text("INSERT INTO annotator VALUES (7, 'other', '')"))
    print("in", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def writer(path: Path, seconds: float) -> Copy:
    """Another process inside a write transaction that lasts so long."""
    process = Copy(WRITER, str(path), str(seconds))
    assert process.stdout.readline() == "in\n"
    return process


def test_reading_first_and_writing_later_waits_for_another_process_instead_of_failing(path):
    """A deferred transaction would fail here at once, whatever its busy_timeout."""
    other = writer(path, 0.5)
    with writing(path) as session:
        assert session.scalars(select(Annotator.name)).all() == ["other"]
        add(session, "Anna")
    assert other.wait(60) == 0
    assert names(path) == ["other", "Anna"]


def test_a_writer_that_is_killed_leaves_nothing_and_locks_nobody_out(path):
    other = writer(path, 60)
    other.kill()
    other.wait()
    with writing(path) as session:
        add(session, "Anna")
    assert names(path) == ["Anna"]


def test_threads_of_one_process_write_one_after_the_other(path):
    inside, most = [], []

    def work(number: int) -> None:
        with writing(path) as session:
            inside.append(number)
            most.append(len(inside))
            add(session, f"annotator {number}")
            inside.remove(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    assert sorted(names(path)) == sorted(f"annotator {number}" for number in range(12))


@pytest.mark.parametrize("column", ["key", "pmid", "pmcid", "doi"])
def test_two_articles_never_share_an_identifier(path, column):
    values = {"title": "", "split": "train", "source": "", "full_text": False, "sentence_count": 0, "warnings": []}
    with writing(path) as session:
        session.execute(insert(Article).values(**values, **({"key": "a"} | {column: "1"})))
    with pytest.raises(IntegrityError, match=f"article.{column}"), writing(path) as session:
        session.execute(insert(Article).values(**values, **({"key": "b"} | {column: "1"})))
