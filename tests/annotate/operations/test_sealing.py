"""Seals that follow by themselves, heads outside the database, and what an auditor is told."""

import os
import re
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

import db.rows
from annotate.cli.main import main
from annotate.operations.backup import restore, write_backup
from annotate.operations.copying import copy_to
from annotate.operations.sealing import heads_file, seal_all, verify
from annotate.project.home import database, write
from annotate.project.rights import Right
from annotate.review.verdicts import record
from db.engine import engine
from db.tables import Account, Annotator, LoginSession
from tests.support.copies import CONTEXT
from tests.support.making import judge, paper, query, store, verdict
from tests.support.postgres import Server


@pytest.fixture(autouse=True)
def judged(home: Path) -> None:
    """Two verdicts on one article, sealed."""
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(1), verdict(0, "reject"))
    seal_all()


def behind(sql: str) -> None:
    """SQL that somebody runs without Keyline."""
    with engine(database()).begin() as connection:
        connection.execute(text(sql))


def test_a_head_is_added_for_each_round_in_which_anything_was_sealed():
    (first,) = heads_file().read_text().splitlines()
    assert seal_all() == 0
    judge("Anna", 1, verdict(1, "reject"))
    assert seal_all() == 1
    assert heads_file().read_text().splitlines()[:-1] == [first]
    at, entry, chain = heads_file().read_text().splitlines()[-1].split()
    assert query("SELECT sealed_at, id, chain FROM seal ORDER BY id DESC LIMIT 1") == [(at, int(entry), chain)]


def test_where_all_holds_an_auditor_is_told_the_rows_and_the_head(capsys):
    assert main(["verify"]) == 0
    told = capsys.readouterr().out
    assert "rows: 3" in told and heads_file().read_text().strip() in told


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("UPDATE verdict SET value = 'unsure' WHERE id = 1", "table verdict, row 1, sealed 20.*: changed"),
        ("DELETE FROM verdict WHERE id = 2", "table verdict, row 2, sealed 20.*: removed"),
        (
            "INSERT INTO annotator (id, name, created_at) VALUES (9, 'Eve', '')",
            "annotator, row 9, the row before it was sealed 20.*: inserted",
        ),
        (
            "DELETE FROM seal WHERE id = 3",
            "annotator, row 1, the row before it was sealed never: .* its seal was removed",
        ),
    ],
)
def test_what_was_done_behind_the_application_is_named(sql, told, capsys):
    judge("Anna", 1, verdict(1, "reject"))
    seal_all()
    behind(sql)
    assert main(["verify"]) == 1
    assert re.search(told, capsys.readouterr().out)


def test_a_head_that_was_taken_away_finds_a_chain_that_was_made_again(tmp_path, capsys):
    kept = tmp_path / "kept.txt"
    kept.write_bytes(heads_file().read_bytes())
    chain = kept.read_text().split()[-1]
    judge("Anna", 1, verdict(1, "reject"))
    assert main(["verify", "--head", str(kept)]) == main(["verify", "--head", chain]) == 0
    behind("UPDATE verdict SET value = 'unsure' WHERE id = 1")
    behind("UPDATE seal SET digest = NULL, chain = NULL, sealed_at = NULL")
    heads_file().unlink()
    assert main(["verify"]) == 0  # who can write all of it can make all of it again
    capsys.readouterr()
    assert main(["verify", "--head", chain]) == 1
    assert "made again" in capsys.readouterr().out
    (tmp_path / "odd.txt").write_text("nothing\n")
    assert main(["verify", "--head", str(tmp_path / "odd.txt")]) == 1
    assert "'nothing' is no head" in capsys.readouterr().err


def test_a_head_that_a_full_disk_cut_off_is_no_head_and_the_next_one_has_a_line_of_its_own(monkeypatch):
    judge("Anna", 1, verdict(1, "reject"))
    writes = os.write
    with monkeypatch.context() as full:
        full.setattr("os.write", lambda handle, content: writes(handle, content[:40]))
        with pytest.raises(OSError, match="No space left"):
            seal_all()
    seal_all()
    assert [len(line.split()) for line in heads_file().read_text().splitlines()] == [3, 3, 3]
    found = verify()
    assert found["holds"] and heads_file().read_text().splitlines()[-1] == found["head"]


def seal_and_die(statements: int) -> None:
    """Seals, and is killed after so many statements."""
    left = [statements]

    @event.listens_for(engine(database()), "after_cursor_execute")
    def count(*_: Any) -> None:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    seal_all()


def test_a_kill_while_sealing_leaves_a_chain_that_goes_on():
    for statements in range(1, 12):
        judge("Anna", 1, verdict(1, "reject"))
        engine(database()).dispose()
        process = CONTEXT.Process(target=_in, args=(dict(os.environ), seal_and_die, statements))
        process.start()
        process.join(60)
    assert process.exitcode == 0  # at last it was done before
    assert verify()["holds"] and verify()["entries"] == 3 + 11


def _in(environment: dict[str, str], work: Any, *arguments: Any) -> None:
    os.environ.update(environment)
    work(*arguments)


def seal_often(rounds: int) -> None:
    for _ in range(rounds):
        seal_all()


def test_processes_that_seal_at_once_make_one_chain():
    engine(database()).dispose()
    sealing = [CONTEXT.Process(target=_in, args=(dict(os.environ), seal_often, 20)) for _ in range(3)]
    for process in sealing:
        process.start()
    writers = [threading.Thread(target=lambda: [record("Anna", 1, [verdict(1)]) for _ in range(20)]) for _ in range(2)]
    for writer in writers:
        writer.start()
    for each in (*sealing, *writers):
        each.join(60)
    assert [process.exitcode for process in sealing] == [0, 0, 0]
    found = verify()
    assert found["holds"] and found["entries"] == 3 + 2 * 20


@pytest.mark.sqlite
def test_a_restored_backup_keeps_its_chain_and_heads_and_tells_of_the_restore(tmp_path, monkeypatch):
    with write(Right.SYSTEM) as session:
        db.rows.add(session, Account(annotator_id=1, role="annotator", disabled=False, session_epoch=0))
        values = {"token_sha256": "t", "account_id": 1, "epoch": 0, "address": "", "browser": "", "expires_at": "9"}
        db.rows.add(session, LoginSession(**values))
    seal_all()
    heads = heads_file().read_text()
    write_backup(tmp_path / "a.tar")
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "restored"))
    restore(tmp_path / "a.tar")
    assert heads_file().read_text() == heads
    assert verify()["holds"]
    assert query("SELECT ended_at IS NULL FROM login_session") == [(0,)]
    assert query("SELECT table_name FROM seal ORDER BY id DESC LIMIT 2") == [("history",), ("login_session",)]


@pytest.mark.sqlite
def test_a_copy_on_postgresql_has_the_same_chain(postgresql: Server, monkeypatch):
    head = heads_file().read_text()
    with postgresql.database(migrated=False) as url:
        copy_to(url)
        monkeypatch.setenv("DATABASE_URL", url)
        found = verify()
        assert found["holds"] and found["head"] + "\n" == head
        judge("Ben", 1, verdict(2))
        assert verify()["holds"] and len(heads_file().read_text().splitlines()) == 2


@pytest.mark.sqlite
def test_rows_from_before_there_were_seals_are_told_apart():
    behind("DELETE FROM seal")
    behind("INSERT INTO seal (table_name, row_id) VALUES ('', 3), ('annotator', 1), ('verdict', 1), ('verdict', 2)")
    heads_file().unlink()
    with write(Right.SYSTEM) as session:
        db.rows.add(session, Annotator(name="Ben"))
    found = verify()
    assert found["holds"] and (found["rows"], found["as_found"]) == (4, 3)
