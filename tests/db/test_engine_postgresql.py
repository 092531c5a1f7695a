"""Connections to PostgreSQL: their settings, what may write, and that rows become visible in the order of their ids."""

import threading
import time
from collections.abc import Iterator

import pytest
from sqlalchemy import URL, delete, func, insert, select, text
from sqlalchemy.exc import IntegrityError, OperationalError, SQLAlchemyError

import db.engine
from db.base import number_on
from db.engine import DatabaseBusy, engine, postgresql_address, reading, writing
from db.tables import Annotator
from tests.support.copies import CONTEXT, Copy
from tests.support.postgres import Server


@pytest.fixture
def address(postgresql: Server) -> Iterator[URL]:
    """A migrated database."""
    with postgresql.database() as url:
        yield postgresql_address(url)


def names(address: URL) -> list[str]:
    with reading(address) as session:
        return list(session.scalars(select(Annotator.name).order_by(Annotator.id)))


def add(session, name: str) -> None:
    session.execute(insert(Annotator).values(name=name))


@pytest.mark.parametrize("url", ["mysql://localhost/x", "keyline", "", "sqlite:///x", "postgresql", "http://x y z"])
def test_an_address_of_another_kind_is_refused_without_repeating_it(url):
    with pytest.raises(ValueError, match="the address must begin with postgresql://") as refused:
        postgresql_address(f"{url}?password=hunter2")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg2"])
def test_whatever_driver_an_address_names_ours_is_used_and_its_options_are_kept(scheme):
    made = postgresql_address(f"{scheme}://anna:secret@host:5433/keyline?sslmode=verify-full")
    assert made.drivername == "postgresql+psycopg"
    assert (made.host, made.port, made.database, dict(made.query)) == (
        "host",
        5433,
        "keyline",
        {"sslmode": "verify-full"},
    )
    assert "secret" not in str(made)


@pytest.mark.parametrize("read_only", [False, True])
def test_every_connection_counts_time_in_utc_and_waits_for_the_disk(address, read_only):
    with engine(address, read_only=read_only).connect() as connection:
        found = {
            name: connection.execute(text(f"SHOW {name}")).scalar()
            for name in ("timezone", "synchronous_commit", "default_transaction_read_only", "transaction_isolation")
        }
    isolation = "repeatable read" if read_only else "read committed"
    read = "on" if read_only else "off"
    assert list(found.values()) == ["UTC", "on", read, isolation]


def test_a_session_that_reads_cannot_write(address):
    with reading(address) as session, pytest.raises(SQLAlchemyError, match="read-only transaction"):
        add(session, "Anna")
    assert names(address) == []


def test_a_session_that_reads_sees_one_snapshot(address):
    with reading(address) as session:
        assert session.scalars(select(Annotator.name)).all() == []
        with writing(address) as writer:
            add(writer, "Anna")
        assert session.scalars(select(Annotator.name)).all() == []
    assert names(address) == ["Anna"]


def test_an_error_rolls_the_whole_write_back_and_locks_nobody_out(address):
    with pytest.raises(RuntimeError, match="in the middle"), writing(address) as session:
        add(session, "Anna")
        raise RuntimeError("in the middle")
    with pytest.raises(IntegrityError), writing(address) as session:
        add(session, "Ben")
        add(session, "Ben")
    assert names(address) == []
    with writing(address) as session:
        add(session, "Chris")
    assert names(address) == ["Chris"]


def test_foreign_keys_are_enforced(address):
    with pytest.raises(IntegrityError, match="fk_section_article_id"), writing(address) as session:
        session.execute(text("INSERT INTO section VALUES (1, 99, NULL, 0, 0, 'body', 'Results')"))


def test_a_writer_that_waits_for_too_long_is_told_so(address, monkeypatch):
    monkeypatch.setattr(db.engine, "BUSY_TIMEOUT_MS", 300)
    with engine(address).begin() as other:
        other.exec_driver_sql(db.engine.LOCK)
        started = time.monotonic()
        with pytest.raises(DatabaseBusy, match="lock timeout"), writing(address) as session:
            add(session, "Anna")
        assert 0.2 < time.monotonic() - started < 5
        assert names(address) == []  # who reads waits for nobody
    with writing(address) as session:
        add(session, "Ben")
    assert names(address) == ["Ben"]


WRITER = """
import sys, time
from sqlalchemy import text
from db.engine import postgresql_address, writing
with writing(postgresql_address(sys.argv[1])) as session:
    session.execute(text("INSERT INTO annotator (name, created_at) VALUES ('other', '')"))
    print("in", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def writer(address: URL, seconds: float) -> Copy:
    """Another process inside a write transaction that lasts so long."""
    process = Copy(WRITER, address.render_as_string(hide_password=False), str(seconds))
    assert process.stdout.readline() == "in\n"
    return process


def test_a_writer_waits_for_another_process_and_sees_what_it_wrote(address):
    other = writer(address, 0.5)
    with writing(address) as session:
        assert session.scalars(select(Annotator.name)).all() == ["other"]
        add(session, "Anna")
    assert other.wait(60) == 0
    assert names(address) == ["other", "Anna"]


def test_a_writer_that_is_killed_leaves_nothing_and_locks_nobody_out(address):
    other = writer(address, 60)
    other.kill()
    other.wait()
    with writing(address) as session:
        add(session, "Anna")
    assert names(address) == ["Anna"]


def write_many(address: URL, whose: str, number: int) -> None:
    """Writes so many rows, each in a transaction of its own."""
    for index in range(number):
        with writing(address) as session:
            add(session, f"{whose} {index}")


def test_rows_of_many_processes_become_visible_in_the_order_of_their_ids(address):
    """Whoever has seen row 7 has seen all rows before it: no snapshot has a gap that is filled later."""
    writers = [CONTEXT.Process(target=write_many, args=(address, f"writer {number}", 60)) for number in range(3)]
    for process in writers:
        process.start()
    seen: dict[int, int] = {}
    while any(process.is_alive() for process in writers):
        with reading(address) as session:
            highest, rows = session.execute(select(func.max(Annotator.id), func.count(Annotator.id))).one()
        assert (highest or 0) == rows
        seen[rows] = seen.get(rows, 0) + 1
    assert [process.exitcode for process in writers] == [0, 0, 0]
    assert len(seen) > 10  # it did look in between
    assert len(names(address)) == 180


def test_threads_that_wait_to_write_hold_no_connection(address):
    begun, over = threading.Event(), threading.Event()

    def hold() -> None:
        with writing(address) as session:
            add(session, "first")
            begun.set()
            over.wait(60)

    threads = [threading.Thread(target=hold)]
    threads[0].start()
    assert begun.wait(60)
    threads += [threading.Thread(target=write_many, args=(address, f"thread {number}", 1)) for number in range(60)]
    for thread in threads[1:]:
        thread.start()
    try:
        assert engine(address).pool.checkedout() == 1  # type: ignore[attr-defined]
    finally:
        over.set()
    for thread in threads:
        thread.join()
    assert len(names(address)) == 61


def test_numbering_goes_on_after_rows_that_brought_their_numbers(address):
    with writing(address) as session:
        number_on(session, Annotator)  # of an empty table: from 1
        add(session, "one")
        session.execute(insert(Annotator), [{"id": 7, "name": "seven"}, {"id": 5, "name": "five"}])
        number_on(session, Annotator)
        add(session, "eight")
        session.execute(delete(Annotator).where(Annotator.name == "one"))
    with reading(address) as session:
        assert session.execute(select(Annotator.id, Annotator.name).order_by(Annotator.id)).all() == [
            (5, "five"),
            (7, "seven"),
            (8, "eight"),
        ]


def test_a_server_that_is_not_there_is_an_error_of_the_database(tmp_path):
    with pytest.raises(OperationalError), writing(postgresql_address(f"postgresql://x@/x?host={tmp_path}")) as session:
        add(session, "Anna")
