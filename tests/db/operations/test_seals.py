"""The chain of seals: every row of what people did is in it, and any change behind the application is found."""

import hashlib
import random
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Column, Double, Integer, LargeBinary, create_engine, func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

import db.operations.seals
import db.rows
import db.team.people
from annotate.operations.sealing import seal_all
from annotate.project.home import database, read, write
from annotate.project.rights import Right
from db.articles import replace_document_labels
from db.base import Base, table_of
from db.engine import engine, sqlite_module
from db.operations.seals import ADDED, CHANGED, NOT_SEALED, SEALED, Problem, prove, sealed_columns
from db.tables import Account, Annotator, ApiToken, DocumentLabel, Seal, Setting
from tests.support.figures import times
from tests.support.filling import fill
from tests.support.making import judge, paper, query, store, verdict

NINTH, TENTH = ("", 9), ("", 10)
EDITS = times(300, 10_000)
COLUMNS = [(table, column) for table in SEALED.values() for column in sealed_columns(table)]


@pytest.fixture
def filled(home: Path) -> None:
    """A project with rows in every sealed table, all of them sealed."""
    with write(Right.SYSTEM) as session:
        fill(session.connection(), Base.metadata)
    seal_all()


@pytest.fixture
def behind(home: Path) -> Iterator[Session]:
    """A session of somebody who writes SQL and does not mind foreign keys; nothing of it is kept."""
    address = database()
    if isinstance(address, Path):
        own = create_engine(f"sqlite:///{address}", module=sqlite_module, poolclass=NullPool)
    else:
        own = create_engine(
            address, poolclass=NullPool, connect_args={"options": "-c session_replication_role=replica"}
        )
    with Session(own) as session:
        yield session
        session.rollback()


def problems(session: Session) -> list[Problem]:
    return prove(session).problems


def named(session: Session) -> list[tuple[str, int]]:
    return [(problem.table, problem.row_id) for problem in problems(session)]


def test_every_table_is_sealed_or_said_to_hold_nothing_of_people():
    said = [table.__tablename__ for table in (*ADDED, *CHANGED, *NOT_SEALED)]
    assert sorted(said) == sorted(Base.metadata.tables)


def test_a_row_is_hashed_as_an_auditor_can_do_it_too_without_columns_that_later_releases_add():
    row = {
        "id": 7,
        "name": "keys",
        "content": '{"a": [1]}',
        "changed_by": "β",
        "created_at": "2026-01-01T00:00:00.000Z",
    }
    told = '{"changed_by":"β","content":"{\\"a\\": [1]}","created_at":"2026-01-01T00:00:00.000Z","id":7,"name":"keys"}'
    values = [row.get(column.name) for column in sealed_columns(Setting)]  # `owner_id` came with schema 0018
    assert db.operations.seals.digest_of(Setting, values) == hashlib.sha256(told.encode()).hexdigest()


def test_rows_are_sealed_by_whatever_statement_they_came_and_went(home):
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(1), verdict(0, "reject"), verdict(1, "reject"))
    seal_all()
    with write(Right.SYSTEM) as session:
        account = db.rows.add(
            session, Account(annotator_id=1, role="annotator", disabled=False, session_epoch=0)
        )  # by the ORM
        replace_document_labels(session, {1: [{"kind": "gene", "name": name, "synonyms": []} for name in "AB"]})
    with write(Right.SYSTEM) as session:
        db.rows.change(session, Account, account.id, role="curator")
        session.get(Account, account.id).disabled = True
        db.team.people.raise_epoch(session, account.id, ended_at="2026")
    seal_all()
    with write(Right.SYSTEM) as session:
        replace_document_labels(session, {1: []})
    seal_all()
    with read() as session:
        proof = prove(session)
        entries = db.rows.latest(session, Seal, table_name="document_label")
    assert (proof.problems, proof.as_found) == ([], 0)
    assert [entry.digest == "" for entry in entries] == [True, True, False, False]


def test_what_no_person_decides_is_no_entry(home):
    with write(Right.SYSTEM) as session:
        values = {"token_sha256": "a", "epoch": 0, "annotator": "Anna", "name": "n"}
        token = db.rows.add(session, ApiToken(**values)).id
    seal_all()
    with write(Right.SYSTEM) as session:
        db.rows.change(session, ApiToken, token, last_used_at="2026")
    assert seal_all() == 0
    with write(Right.SYSTEM) as session:
        db.rows.change(session, ApiToken, token, revoked_at="2026")
    assert seal_all() == 1


def test_nothing_of_a_transaction_that_failed_is_noted(home):
    with pytest.raises(RuntimeError), write(Right.SYSTEM) as session:
        db.rows.add(session, Annotator(name="Anna"))
        raise RuntimeError
    with write(Right.SYSTEM) as session:
        db.rows.add(session, Annotator(name="Ben"))
    assert seal_all() == 1
    with read() as session:
        assert prove(session).problems == []


def edited(session: Session, column: Column[Any], value: Any, draw: random.Random) -> Any:
    """A value with one bit of it changed, or a letter where the database takes texts alone; any for none."""
    match value:
        case None | "" | b"":
            return {JSON: "[]", LargeBinary: b"x", Integer: 1, Double: 0.5, Boolean: True}.get(type(column.type), "x")
        case bool():
            return not value
        case int():
            return value ^ (1 << draw.randrange(31))
        case float():
            (bits,) = struct.unpack("q", struct.pack("d", value))
            return struct.unpack("d", struct.pack("q", bits ^ (1 << draw.randrange(62))))[0]
        case str() if not on_sqlite(session):
            place = draw.randrange(len(value))
            letter = chr(ord(value[place]) ^ 1 or 2)
            return f" {value}" if isinstance(column.type, JSON) else value[:place] + letter + value[place + 1 :]
        case _:
            content = bytearray(value if isinstance(value, bytes) else value.encode())
            content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
            return bytes(content)


def on_sqlite(session: Session) -> bool:
    return session.get_bind().dialect.name == "sqlite"


def edit(session: Session, draw: random.Random) -> tuple[str, set[int]]:
    """Changes a byte of a row, both drawn by lot; returns the row's table, and the ids that it had and has."""
    while True:
        table, column = draw.choice(COLUMNS)
        name, own = table.__tablename__, f'"{column.name}"'
        row_id = draw.choice(session.scalars(select(table_of(table).c.id)).all())
        is_json = isinstance(column.type, JSON)
        stored = f"CAST({own} AS TEXT)" if is_json else own
        value = session.scalar(text(f"SELECT {stored} FROM {name} WHERE id = {row_id}"))
        new = edited(session, column, value, draw)
        given = "CAST(:new AS TEXT)" if isinstance(value, str) and isinstance(new, bytes) else ":new"
        given = "CAST(:new AS JSON)" if is_json and not on_sqlite(session) else given
        try:
            session.execute(text(f"UPDATE {name} SET {own} = {given} WHERE id = {row_id}"), {"new": new})
        except IntegrityError:  # another row has the same name
            session.rollback()
        else:
            return name, {row_id, new} if column.name == "id" else {row_id}


def test_any_byte_of_any_row_that_is_changed_by_sql_is_found(filled, behind, record_property):
    assert problems(behind) == []
    for number in range(EDITS):
        name, ids = edit(behind, random.Random(number))
        found = named(behind)
        assert found and {table for table, _ in found} == {name} and {row_id for _, row_id in found} <= ids, number
        behind.rollback()
    assert problems(behind) == []
    record_property("edits_found", EDITS)


# What is done to which row, and how it is named; of the chain, the ninth seal, by its own row.
SQL = {
    "UPDATE verdict SET value = 'accept' WHERE id = 20": ("verdict", 20, "changed"),
    "DELETE FROM comment WHERE id = 30": ("comment", 30, "removed"),
    "INSERT INTO annotator (id, name, created_at) VALUES (25, 'Eve', '')": ("annotator", 25, "inserted"),
    "INSERT INTO annotator (id, name, created_at) VALUES (99, 'Eve', '')": ("annotator", 99, "inserted"),
    "UPDATE reading SET id = CASE id WHEN 10 THEN 25 ELSE id END": ("reading", 10, "removed"),
    "UPDATE seal SET digest = 'b' WHERE id = 9": (*NINTH, "seal"),
    "UPDATE seal SET sealed_at = '2020' WHERE id = 9": (*NINTH, "seal"),
    "UPDATE seal SET row_id = row_id + 1 WHERE id = 9": (*NINTH, "its seal was removed"),
    "DELETE FROM seal WHERE id = 9": (*NINTH, "its seal was removed"),
    "UPDATE seal SET id = 999 WHERE id = 9": (*TENTH, "seals before it"),
}


@pytest.mark.parametrize("sql", SQL)
def test_the_first_row_that_was_changed_removed_inserted_or_moved_is_named(filled, behind, sql):
    table, row_id, what = SQL[sql]
    sealed = query("SELECT table_name, row_id FROM seal ORDER BY id")
    behind.execute(text(sql))
    first = problems(behind)[0]
    assert what in first.what and first.at
    assert (first.table, first.row_id) == (sealed[row_id - 1] if table == "" else (table, row_id))


def test_of_several_the_one_that_was_sealed_first_is_named(filled, behind):
    behind.execute(text("UPDATE verdict SET value = 'x'"))
    behind.execute(text("DELETE FROM article_tag"))
    entries = [problem.entry for problem in problems(behind)]
    assert entries == sorted(entries) and len(entries) == 2 * 3


def test_a_verdict_that_is_changed_and_noted_as_the_application_would_is_found_all_the_same(filled):
    with engine(database()).begin() as connection:
        connection.execute(text("UPDATE verdict SET value = 'reject' WHERE id = 20"))
        connection.execute(text("INSERT INTO seal (table_name, row_id) VALUES ('verdict', 20)"))
    with read() as session:
        assert named(session) == [("verdict", 20)]
    seal_all()
    with read() as session:
        assert [problem.what for problem in problems(session)] == [
            "changed or removed behind the application, and sealed again since"
        ]


def test_whatever_waits_is_sealed_in_pieces_and_the_chain_is_one(home, monkeypatch):
    monkeypatch.setattr(db.operations.seals, "CHUNK", 3)
    with write(Right.SYSTEM) as session:
        db.rows.add_all(session, Annotator, [{"name": str(number)} for number in range(10)])
    assert seal_all() == 10
    with read() as session:
        proof = prove(session)
    assert (proof.rows, proof.entries, proof.problems) == (10, 10, [])
    assert proof.head and query("SELECT chain FROM seal WHERE row_id = 10") == [(proof.head.chain,)]


@pytest.mark.sqlite
def test_bytes_that_are_no_text_are_found_and_stop_nothing(filled, behind):
    behind.execute(text("UPDATE comment SET text = CAST(X'FF00' AS TEXT) WHERE id = 20"))
    assert named(behind) == [("comment", 20)]


def test_a_list_of_heads_is_met_or_named(filled):
    with read() as session:
        chains = session.scalars(select(Seal.chain)).all()
        assert prove(session, [chains[0], chains[-1]]).unmet == set()
        assert prove(session, ["0" * 64]).unmet == {"0" * 64}
        assert session.scalar(select(func.count()).select_from(DocumentLabel)) == 3
