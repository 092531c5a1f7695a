"""Migrations: complete, atomic under a kill, refusing a newer database; backups of a live database."""

import signal
import threading
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import insert, text

from db.base import Base
from db.engine import DatabaseNewerThanCode, engine, sqlite_module, writing
from db.migrate import alembic_config, back_up, migrate
from db.tables import Annotator
from tests.support.copies import CONTEXT, Copy

EARLIER = [script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions()][1:]
UNIQUE = {
    ("article_change", "mark"),
    ("account", "annotator_id"),
    ("account", "issuer,subject"),
    ("annotator", "name"),
    ("article", "doi"),
    ("article", "key"),
    ("article", "pmcid"),
    ("article", "pmid"),
    ("audit_verdict", "event_id"),
    ("comment", "event_id"),
    ("document_label", "article_id,kind,name"),
    ("finished_run", "kind,experiment,key"),
    ("gold_snapshot", "name"),
    ("job", "kind"),
    ("api_token", "token_sha256"),
    ("login_session", "token_sha256"),
    ("model_version", "name"),
    ("own_function", "name"),
    ("question", "annotator_id,sha256"),
    ("queue_request", "event_id"),
    ("reading", "event_id"),
    ("related_verdict", "event_id"),
    ("relevance", "event_id"),
    ("sentence", "article_id,position"),
    ("verdict", "event_id"),
}


def rows(path: Path, sql: str) -> list[tuple]:
    with closing(sqlite_module.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def schema(path: Path) -> list[tuple]:
    return rows(path, "SELECT type, name, sql FROM sqlite_master ORDER BY name")


def test_a_migrated_database_has_exactly_the_tables_of_the_code(tmp_path):
    path = tmp_path / "new" / "keyline.sqlite"
    migrate(path)
    with engine(path).connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert rows(path, "PRAGMA foreign_key_check") == []


def test_the_unique_indexes_are_those_that_the_code_relies_on(tmp_path):
    path = tmp_path / "keyline.sqlite"
    migrate(path)
    unique = set()
    for (table,) in rows(path, "SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'alembic_version'"):
        for _, index, is_unique, origin, _ in rows(path, f"PRAGMA index_list('{table}')"):
            if is_unique and origin != "pk":
                unique.add((table, ",".join(column for _, _, column in rows(path, f"PRAGMA index_info('{index}')"))))
    assert unique == UNIQUE


def test_migrating_again_changes_nothing(tmp_path):
    path = tmp_path / "keyline.sqlite"
    migrate(path)
    before = schema(path)
    migrate(path)
    assert schema(path) == before
    assert [file.name for file in tmp_path.glob("*before*")] == []


def test_a_database_of_a_newer_release_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "keyline.sqlite"
    migrate(path)
    with engine(path).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    before = schema(path)
    with pytest.raises(DatabaseNewerThanCode, match="schema 9999"):
        migrate(path)
    assert schema(path) == before
    assert rows(path, "SELECT version_num FROM alembic_version") == [("9999",)]


def test_an_error_in_the_middle_of_a_migration_leaves_the_old_state(tmp_path, monkeypatch):
    path = tmp_path / "keyline.sqlite"

    def break_off(config, revision):
        config.attributes["connection"].execute(text("CREATE TABLE half (id INTEGER)"))
        raise OSError("the disk is gone")

    monkeypatch.setattr(command, "upgrade", break_off)
    with pytest.raises(OSError, match="the disk is gone"):
        migrate(path)
    assert schema(path) == []


# Kills itself after that many CREATE statements of the migration.
KILL = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import event
from db.engine import engine
from db.migrate import migrate
path, left = Path(sys.argv[1]), [int(sys.argv[2])]
@event.listens_for(engine(path), "after_cursor_execute")
def count(connection, cursor, statement, *more):
    left[0] -= statement.lstrip().startswith("CREATE")
    if left[0] < 0:
        os.kill(os.getpid(), signal.SIGKILL)
migrate(path)
"""


@pytest.mark.parametrize("statements", [0, 5, 25])
def test_a_kill_in_the_middle_of_a_migration_leaves_the_old_state_and_a_retry_succeeds(tmp_path, statements):
    path = tmp_path / "keyline.sqlite"
    assert Copy(KILL, str(path), str(statements)).wait() == -signal.SIGKILL
    assert schema(path) == []
    migrate(path)
    assert rows(path, "SELECT version_num FROM alembic_version") == [(alembic_head(),)]


def alembic_head() -> str:
    from alembic.script import ScriptDirectory

    return str(ScriptDirectory.from_config(alembic_config()).get_current_head())


def test_two_processes_may_create_the_database_at_once(tmp_path):
    path = tmp_path / "keyline.sqlite"
    workers = [CONTEXT.Process(target=migrate, args=(path,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert rows(path, "SELECT version_num FROM alembic_version") == [(alembic_head(),)]


def test_a_backup_of_a_database_that_is_written_to_is_sound_and_holds_what_was_acknowledged(tmp_path):
    path = tmp_path / "keyline.sqlite"
    migrate(path)
    acknowledged: list[int] = []
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            with writing(path) as session:
                session.execute(insert(Annotator).values(name=f"annotator {number}"))
            acknowledged.append(number)
            number += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(4):
            while len(acknowledged) < 5 * (number + 1):
                stop.wait(0.005)
            before = len(acknowledged)
            copy = tmp_path / "copy.sqlite"
            back_up(path, copy)
            assert rows(copy, "PRAGMA integrity_check") == [("ok",)]
            names = {name for (name,) in rows(copy, "SELECT name FROM annotator")}
            assert names >= {f"annotator {n}" for n in range(before)}
    finally:
        stop.set()
        thread.join()


def at_revision(path: Path, revision: str) -> None:
    """Creates a database as an earlier release left it."""
    config = alembic_config()
    path.parent.mkdir(parents=True, exist_ok=True)
    with engine(path).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


@pytest.mark.parametrize("revision", [EARLIER[0], EARLIER[-1]])
def test_an_older_database_is_copied_before_it_is_upgraded(tmp_path, revision):
    path = tmp_path / "keyline.sqlite"
    at_revision(path, revision)
    before = schema(path)
    with writing(path) as session:
        session.execute(text("INSERT INTO annotator (name, created_at) VALUES ('Anna', '')"))
    migrate(path)
    (copy,) = tmp_path.glob("keyline-before-*.sqlite")
    assert schema(copy) == before
    assert rows(copy, "SELECT name FROM annotator") == rows(path, "SELECT name FROM annotator") == [("Anna",)]
    with engine(path).connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_the_copy_is_made_while_no_other_process_can_write(tmp_path, monkeypatch):
    path = tmp_path / "keyline.sqlite"
    at_revision(path, EARLIER[0])
    copied = []

    def copy_under_the_lock(source: Path, target: Path) -> None:
        locked = pytest.raises(sqlite_module.OperationalError, match="database is locked")
        with closing(sqlite_module.connect(path, timeout=0)) as other, locked:
            other.execute("BEGIN IMMEDIATE")
        back_up(source, target)
        copied.append(target)

    monkeypatch.setattr("db.migrate.back_up", copy_under_the_lock)
    migrate(path)
    assert rows(copied[0], "SELECT version_num FROM alembic_version") == [(EARLIER[0],)]
    assert rows(path, "SELECT version_num FROM alembic_version") == [(alembic_head(),)]


def test_who_comes_second_to_an_upgrade_leaves_the_first_one_s_copy_as_it_is(tmp_path, monkeypatch):
    path = tmp_path / "keyline.sqlite"
    at_revision(path, EARLIER[0])
    migrate(path)
    (copy,) = tmp_path.glob("keyline-before-*.sqlite")
    before = copy.read_bytes()
    # As both see it who look before either has the lock.
    monkeypatch.setattr("db.migrate.schema_version", lambda address: EARLIER[0])
    migrate(path)
    assert copy.read_bytes() == before
    assert rows(copy, "SELECT version_num FROM alembic_version") == [(EARLIER[0],)]
