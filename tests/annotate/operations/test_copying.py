"""A project moves to PostgreSQL: every value arrives, or nothing is kept; there it goes on as before."""

import hashlib
import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import LargeBinary, event, func, select, text
from sqlalchemy.orm import Session

import annotate.operations.copying
import db.operations.copying
from annotate.cli.main import main
from annotate.gold.export_file import export
from annotate.gold.label_sets import current_label_set
from annotate.operations.copying import NotEqual, TargetNotEmpty, copy_to
from annotate.project.acting import Actor, Forbidden, acting
from annotate.project.home import read, sqlite_file
from annotate.review.verdicts import record
from db.base import Base
from db.engine import UnsafeDatabase, engine, postgresql_address, reading, writing
from db.migrate import schema_version
from db.tables import Annotator, Article, Verdict
from tests.support.copies import CONTEXT
from tests.support.filling import ROWS, fill
from tests.support.making import comment, contents, judge, paper, query, store, verdict
from tests.support.making import reading as read_in_full
from tests.support.postgres import Server


def in_another_process(work: Callable[..., None], *arguments: Any) -> int | None:
    """Its exit code."""
    process = CONTEXT.Process(target=_in_this_environment, args=(dict(os.environ), work, *arguments))
    process.start()
    process.join(60)
    return process.exitcode


def _in_this_environment(environment: dict[str, str], work: Callable[..., None], *arguments: Any) -> None:
    os.environ.update(environment)
    work(*arguments)


@pytest.fixture
def target(postgresql: Server) -> Iterator[str]:
    """The URL of an empty database."""
    with postgresql.database(migrated=False) as url:
        yield url


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with two articles, verdicts, a reading and a remark, and awkward rows in all other tables."""
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "keyline"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    store(paper(pmid="1"), paper(pmid="2", title="β-catenin ≤ 5 %"), paper(pmid="3"))
    judge("Anna", 1, verdict(1), verdict(0, "reject"), read_in_full(), comment(1, "sure? \U0001f9ec"))
    judge("Ben", 1, verdict(1, "reject"))
    judge("Chloé", 2, verdict(2), verdict(1, "unsure"))
    with writing(sqlite_file()) as session:
        fill(session.connection(), Base.metadata)
    return tmp_path / "keyline"


def counts(url: str) -> dict[str, int]:
    """The rows of each table of a database."""
    with reading(postgresql_address(url)) as session:
        return {
            table.name: session.scalar(select(func.count()).select_from(table)) or 0
            for table in db.operations.copying.tables()
        }


def values(session: Session) -> dict[str, list[tuple[Any, ...]]]:
    """Every value of every table, compared without the hashes of the product."""
    return {
        table.name: sorted(
            (tuple(row) for row in session.execute(select(table))),
            key=lambda row: json.dumps([str(value) for value in row]),
        )
        for table in db.operations.copying.tables()
    }


def assert_copied(url: str, result: dict[str, Any]) -> None:
    """That both databases hold the same, by their values and by what the command says of them."""
    with reading(sqlite_file()) as source, reading(postgresql_address(url)) as copied:
        assert values(copied) == values(source)
        assert current_label_set(copied).sha256 == current_label_set(source).sha256 == result["label_set_sha256"]
        for name, rows, sha256 in result["tables"]:
            (table,) = (table for table in db.operations.copying.tables() if table.name == name)
            assert db.operations.copying.held(copied, table) == db.operations.copying.Held(rows, sha256)
    assert {name: rows for name, rows, _ in result["tables"]} == counts(url)


def test_every_value_of_every_table_arrives(project, target, monkeypatch):
    monkeypatch.setattr(db.operations.copying, "CHUNK", 2)
    told: list[tuple[str, int, int]] = []
    result = copy_to(target, lambda *report: told.append(report))
    assert_copied(target, result)
    assert set(counts(target).values()) >= {ROWS} and 0 not in counts(target).values()
    assert {stage for stage, _, _ in told} == {
        *(f"copying {table.name}" for table in db.operations.copying.tables()),
        "comparing",
    }
    assert [report for report in told if report[0] == "copying sentence"] == [
        ("copying sentence", done, 9) for done in (0, 2, 4, 6, 8, 9)
    ]


def test_the_hash_of_a_table_is_of_its_values_in_the_order_of_their_key(project):
    with reading(sqlite_file()) as session:
        rows = session.execute(select(Annotator).order_by(Annotator.id)).scalars().all()
        lines = [json.dumps([row.id, row.name, row.created_at]) for row in rows]
        sha256 = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
        assert db.operations.copying.held(session, Annotator.__table__) == db.operations.copying.Held(len(rows), sha256)


def test_an_empty_project_is_copied_too(tmp_path, target, monkeypatch):
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert query("SELECT count(*) FROM article") == [(0,)]
    assert_copied(target, copy_to(target))
    assert set(counts(target).values()) == {0}


def test_a_target_with_rows_is_refused_and_left_alone(project, target):
    copy_to(target)
    before = counts(target)
    judge("Anna", 3, verdict(1))
    with pytest.raises(TargetNotEmpty, match=r"holds rows already, in .*article"):
        copy_to(target)
    assert counts(target) == before


def test_a_folder_without_a_database_and_an_address_of_another_kind_are_refused(tmp_path, target, monkeypatch):
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path))
    with pytest.raises(ValueError, match=r"there is no keyline\.sqlite in the data folder"):
        copy_to(target)
    with pytest.raises(ValueError, match="must begin with postgresql://"):
        copy_to("sqlite:///other.sqlite")


def test_only_who_operates_keyline_may_copy(project, target, monkeypatch):
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with acting(Actor("Anna", account_id=10, epoch=0)), pytest.raises(Forbidden):
        copy_to(target)
    assert schema_version(postgresql_address(target)) is None


def test_a_copy_that_failed_passes_for_no_new_project_and_can_be_begun_again(project, target, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError("the disk of the server is full")

    monkeypatch.setattr(db.operations.copying, "settle", fail)
    with pytest.raises(OSError, match="is full"):
        copy_to(target)
    with monkeypatch.context() as as_the_app:
        as_the_app.setenv("DATABASE_URL", target)
        as_the_app.setenv("KEYLINE_HOME", str(project.with_name("anew")))
        for _ in range(2):  # and not only the first time
            with pytest.raises(UnsafeDatabase, match=r"has not finished.*annotate copy --to"), read():
                pass
    monkeypatch.undo()
    monkeypatch.setenv("KEYLINE_HOME", str(project))
    assert_copied(target, copy_to(target))
    monkeypatch.setenv("DATABASE_URL", target)
    assert query("SELECT count(*) FROM article") == [(3,)]


CHANGES = {
    "a verdict": ("verdict", "UPDATE verdict SET value = 'reject' WHERE id = 1"),
    "a remark": ("comment", "UPDATE comment SET text = text || ' '"),
    "a byte": ("embedding", "UPDATE embedding SET vectors = set_byte(vectors, 200, 7) WHERE length(vectors) > 0"),
    "a document": ("setting", """UPDATE setting SET content = '{"a": -0.1000001}' WHERE id = 30"""),
    "the last bit of a number": ("proposal", "UPDATE proposal SET score = 0.3 WHERE score > 0.3 AND score < 0.31"),
    "nothing for an empty text": ("verdict", "UPDATE verdict SET ranking = '' WHERE ranking IS NULL"),
    "a row that is lost": ("history", "DELETE FROM history WHERE id = 20"),
    "a row that is doubled": ("login_attempt", "INSERT INTO login_attempt SELECT 7, name, address, tried_at, succeeded "
                              "FROM login_attempt WHERE id = 10"),
}  # fmt: skip


def test_what_arrives_differently_is_found_and_nothing_is_kept(project, target, monkeypatch):
    settle = db.operations.copying.settle
    for table, sql in CHANGES.values():
        changed = []

        def settle_and_change(session: Session, sql: str = sql, changed: list[int] = changed) -> None:
            settle(session)
            changed.append(session.execute(text(sql)).rowcount)

        monkeypatch.setattr(db.operations.copying, "settle", settle_and_change)
        with pytest.raises(NotEqual, match=rf"nothing was copied, since it did not arrive as it was sent: {table}\b"):
            copy_to(target)
        assert changed[0] > 0, sql
        assert set(counts(target).values()) == {0}, sql
    monkeypatch.setattr(db.operations.copying, "settle", settle)
    assert_copied(target, copy_to(target))


def test_another_label_set_is_found_even_where_all_rows_are_equal(project, target, monkeypatch):
    sets = iter(["one", "another"])

    class Other:
        def __init__(self, _: Session) -> None:
            self.sha256 = next(sets)

    monkeypatch.setattr(annotate.operations.copying, "current_label_set", Other)
    with pytest.raises(NotEqual, match="as it was sent: label set"):
        copy_to(target)
    assert set(counts(target).values()) == {0}


def copy_until(url: str, moment: str) -> None:
    """Copies, and is killed by SIGKILL when this begins to run on PostgreSQL."""

    def die(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if moment in statement:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(engine(postgresql_address(url)), "before_cursor_execute", die)
    copy_to(url)


def test_a_kill_in_the_middle_leaves_the_target_empty_and_the_next_try_succeeds(project, target):
    for moment in ("CREATE TABLE verdict", "INSERT INTO article (", "INSERT INTO verdict", "ANALYZE"):
        assert in_another_process(copy_until, target, moment) == -signal.SIGKILL
        if moment.startswith("CREATE"):
            assert schema_version(postgresql_address(target)) is None
        else:
            assert set(counts(target).values()) == {0}, moment
    assert_copied(target, copy_to(target))


def test_what_reviewers_store_meanwhile_stays_behind_and_nobody_waits(project, target, monkeypatch):
    settle = db.operations.copying.settle

    def store_and_settle(session: Session) -> None:
        assert in_another_process(judge, "Anna", 3, verdict(1)) == 0
        settle(session)

    monkeypatch.setattr(db.operations.copying, "settle", store_and_settle)
    copy_to(target)
    assert query("SELECT count(*) FROM verdict WHERE article_id = 3") == [(1,)]
    with reading(postgresql_address(target)) as session:
        assert session.scalars(select(Verdict.id).where(Verdict.article_id == 3)).all() == []


def test_the_app_goes_on_with_the_copy(project, target, monkeypatch, tmp_path):
    export(tmp_path / "before.csv")
    highest = {table: rows[-1][0] for table, rows in contents("article", "verdict", "annotator").items()}
    copy_to(target)
    monkeypatch.setenv("DATABASE_URL", target)
    export(tmp_path / "after.csv")
    assert (tmp_path / "after.csv").read_bytes() == (tmp_path / "before.csv").read_bytes()
    assert store(paper(pmid="4"), paper(pmid="1")).counts["stored"] == 1
    given = [verdict(1), verdict(0, "reject")]
    judge("Dora", highest["article"] + 1, *given)
    assert record("Dora", highest["article"] + 1, given) == ([row["id"] for row in given], [])  # sent again
    with read() as session:
        assert session.scalars(select(Article.id).order_by(Article.id.desc()).limit(1)).one() == highest["article"] + 1
        assert session.scalars(select(Annotator.id).where(Annotator.name == "Dora")).one() == highest["annotator"] + 1
        new = session.scalars(select(Verdict.id).where(Verdict.id > highest["verdict"]).order_by(Verdict.id)).all()
        assert new == [highest["verdict"] + 1, highest["verdict"] + 2]


def test_all_tables_number_on_after_their_highest_row(project, target):
    copy_to(target)
    with reading(postgresql_address(target)) as session:
        for table in db.operations.copying.tables():
            if "id" in table.c:
                sequence = session.scalar(text(f"SELECT pg_get_serial_sequence('{table.name}', 'id')"))
                assert session.scalar(text(f"SELECT last_value FROM {sequence}")) == session.scalar(
                    select(func.max(table.c.id))
                )


def test_bytes_are_among_what_is_compared():
    kinds = {type(column.type) for table in db.operations.copying.tables() for column in table.columns}
    assert LargeBinary in kinds


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command; returns its exit code, and what it wrote to stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([*arguments])
        return code, *capsys.readouterr()

    return run


def test_the_command_prints_what_both_sides_hold(project, target, cli):
    code, out, err = cli("copy", "--to", target)
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split() == ["table", "rows", "SHA-256", "on", "both", "sides"]
    assert [line.split()[:2] for line in lines[1:-2]] == [[name, str(rows)] for name, rows in counts(target).items()]
    assert lines[-1] == "equal: set DATABASE_URL, restart the app"
    assert "copying verdict" in err and "comparing" in err


def test_the_command_answers_with_one_object_and_refuses_in_words(project, target, cli):
    code, out, _ = cli("copy", "--to", target, "--json")
    result = json.loads(out)
    assert code == 0 and {name: rows for name, rows, _ in result["tables"]} == counts(target)
    code, out, err = cli("copy", "--to", target, "--json")
    assert (code, list(json.loads(out))) == (1, ["error"])
    assert "the database to copy into holds rows already, in" in err
    code, _, err = cli("copy", "--to", "mysql://anna:hunter2@x/y")
    assert code in (1, 2) and "must begin with postgresql://" in err and "hunter2" not in err


def test_the_command_names_a_server_that_is_not_there_without_the_password(project, tmp_path, cli):
    code, _, err = cli("copy", "--to", f"postgresql://anna:hunter2@/keyline?host={tmp_path}")
    assert code == 1 and "Traceback" not in err
    assert "connection" in err and "hunter2" not in err
