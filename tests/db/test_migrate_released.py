"""Databases of earlier releases: upgraded whole, killed after each statement, refused where they are newer.

tests/data/released holds what the releases themselves made of SQLite, as SQL, with three awkward rows in each table.
No release before schema 0004 knew PostgreSQL, so there a database is brought to each revision by today's migrations.
"""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, MetaData, Row, event, inspect, select, text, update

import db.entities
from annotate.articles.works import title_key
from db.base import Base
from db.engine import Address, DatabaseNewerThanCode, engine, postgresql_address, reading, sqlite_module
from db.jobs import of_event
from db.migrate import alembic_config, migrate, schema_version
from db.operations.seals import SEALED
from db.tables import Article, ArticleChange, ReadText
from tests.support.copies import CONTEXT
from tests.support.earlier_rows import Rows, as_today
from tests.support.figures import times
from tests.support.filling import KEPT_BY_ITSELF, ROWS, TEXTS, fill
from tests.support.paths import DATA
from tests.support.postgres import Server
from tests.support.schema import HEAD

RELEASED = sorted(path.stem for path in (DATA / "released").glob("*.sql"))
NEW = "nothing"
# Which are upgraded on PostgreSQL: every third from the first that knew it to the newest; the long form takes all.
ON_POSTGRESQL = [one for one in RELEASED if one >= "0004"][:: 1 if times(0, 1) else 3]
# Where an upgrade is killed: from nothing, from the oldest and from the newest release; the long form takes all.
KILLED = [NEW, *(RELEASED if times(0, 1) else (RELEASED[0], RELEASED[-1]))]

COLUMNS = ("genes", "cells", "edit")  # of labels, whatever the topic, before schema 0016
MOVED = {("verdict", column) for column in COLUMNS}
SCHEMA = {
    "sqlite": "SELECT type, tbl_name, name, sql FROM sqlite_master ORDER BY type, name",
    "postgresql": """
        SELECT table_name, column_name, concat_ws(' ', ordinal_position, udt_name, is_nullable, column_default)
        FROM information_schema.columns WHERE table_schema = current_schema()
        UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
        UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()
        ORDER BY 1, 2, 3
    """,
}
# As earlier releases wrote topics: one kind bears the name of another's column, and one column has no kind.
TOPIC = "kinds: [{key: cell, stands_in: genes, plural: Lines}, {key: outcome, stands_in: edit}]"

Schema = tuple[Row[Any], ...]
# What was read of schemas, which of them were found to be today's, and the statements that read releases.
READ: dict[Schema, MetaData] = {}
OF_TODAY: set[Schema] = set()
STATEMENTS: dict[Any, Any] = {}


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Address]:
    """An empty database of each kind."""
    if request.param == "sqlite":
        yield tmp_path / "keyline.sqlite"
    else:
        server: Server = request.getfixturevalue("postgresql")
        with server.database(migrated=False) as url:
            yield postgresql_address(url)


def release(address: Address, revision: str) -> None:
    """Makes of an empty database what a release left, with rows in all tables."""
    if revision == NEW:
        return
    if isinstance(address, Path):
        released = DATA / "released" / f"{revision}.sql"
        with closing(sqlite_module.connect(address)) as connection:
            connection.executescript(released.read_text())
    else:
        config = alembic_config()
        with engine(address).begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
            fill(connection, reflected(connection))


def schema(connection: Connection) -> Schema:
    """All that the database itself says of its tables, constraints and indexes."""
    return tuple(connection.exec_driver_sql(SCHEMA[connection.dialect.name]).all())


def reflected(connection: Connection) -> MetaData:
    """The tables of a database; those of one schema are read once."""
    its_schema = schema(connection)
    if its_schema not in READ:
        metadata = MetaData()
        metadata.reflect(connection)
        READ[its_schema] = metadata
    return READ[its_schema]


def contents(address: Address) -> Rows:
    """All rows of all tables, by the names of their columns."""
    with engine(address, read_only=True).connect() as connection:
        if isinstance(address, Path):  # columns of releases that knew no PostgreSQL are no statements of the product
            connection.execution_options(compiled_cache=STATEMENTS)
        tables = reflected(connection).sorted_tables
        return {
            table.name: [dict(row) for row in connection.execute(select(table).order_by(*table.primary_key)).mappings()]
            for table in tables
        }


def state(address: Address) -> tuple[Schema, Rows]:
    """All that is in a database: its schema and all rows."""
    with engine(address, read_only=True).connect() as connection:
        return schema(connection), contents(address)


def indexes(address: Address) -> set[tuple[str, str, tuple[str | None, ...], bool]]:
    with engine(address, read_only=True).connect() as connection:
        found = inspect(connection)
        return {
            (table, str(index["name"]), tuple(index["column_names"]), bool(index["unique"]))
            for table in found.get_table_names()
            for index in found.get_indexes(table)
        }


def assert_indexes_of_a_new_one(address: Address, new: Path) -> None:
    """That an upgraded database has the indexes that one begun today has."""
    if isinstance(address, URL):
        expected = {
            (table.name, str(index.name), tuple(column.name for column in index.columns), bool(index.unique))
            for table in Base.metadata.sorted_tables
            for index in table.indexes
        }
        found = {index for index in indexes(address) if not index[1].startswith("uq_") or index[1] == "uq_job_active"}
        assert found == expected
    else:
        assert indexes(address) == indexes(new)


def assert_upgraded(address: Address, before: Rows) -> None:
    """That the schema is today's, and that every value of every row is what it was, or lies in `labels`."""
    with reading(address) as session:
        if (its_schema := schema(session.connection())) not in OF_TODAY:
            assert compare_metadata(MigrationContext.configure(session.connection()), Base.metadata) == []
            OF_TODAY.add(its_schema)
    after = contents(address)
    for table, rows in as_today(before).items():
        if table != "alembic_version":
            kept = [{name: value for name, value in row.items() if (table, name) not in MOVED} for row in rows]
            found = after[table][: len(rows)]
            assert [{name: new[name] for name in old} for old, new in zip(kept, found, strict=True)] == kept, table
    assert {table: len(rows) for table, rows in after.items() if table in ("model_version", "promotion")} == {
        "model_version": len(before.get("model_version", ())) + len(before.get("retrieval_model", ())),
        "promotion": len(before.get("promotion", ())) + len(before.get("retrieval_choice", ())),
    }
    if (verdicts := before.get("verdict")) and COLUMNS[0] in verdicts[0]:
        given = [[row[column] for column in COLUMNS] for row in verdicts]
        assert [row["labels"] and [*row["labels"].values()] for row in after["verdict"]] == [
            None if set(texts) == {None} else [text or "" for text in texts] for texts in given
        ]
    if before and "seal" not in before:
        rows = [(table, row["id"]) for table in SEALED for row in after[table]]
        assert sorted((row["table_name"], row["row_id"]) for row in after["seal"]) == sorted([("", len(rows)), *rows])
        assert {row["chain"] for row in after["seal"]} == {None}  # they wait
    assert schema_version(address) == HEAD


def test_every_earlier_schema_has_its_released_database():
    revisions = [script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions()]
    assert sorted([*RELEASED, HEAD]) == sorted(revisions)


@pytest.mark.parametrize(
    ("empty", "revision"),
    [("sqlite", one) for one in RELEASED] + [("postgresql", one) for one in ON_POSTGRESQL],
    indirect=["empty"],
)
def test_a_released_database_is_upgraded_and_keeps_every_value(empty, revision, migrated_file):
    release(empty, revision)
    before = contents(empty)
    assert {len(rows) for table, rows in before.items() if table not in KEPT_BY_ITSELF} == {ROWS}
    migrate(empty)
    assert_upgraded(empty, before)
    assert_indexes_of_a_new_one(empty, migrated_file)
    after = contents(empty)
    if revision < "0004":
        assert [row["role"] for row in after["verdict"]] == ["annotator"] * ROWS
    if revision < "0005":
        assert after["topic"] == []
        assert {row["topic_sha256"] for name in ("proposal_set", "model_version") for row in after[name]} == {None}
    migrate(empty)
    assert contents(empty) == after


def test_what_readers_made_is_there_after_an_upgrade_and_not_made_again(empty):
    release(empty, "0017")
    with engine(empty).begin() as connection:
        tables = reflected(connection).tables
        article, scan, words = tables["article"], tables["entity_scan"], tables["pseudo_query"]
        connection.execute(article.update().values(sentence_count=12))
        for number, version in ((10, "a/b/12"), (20, "a/b/2"), (30, "other/12")):
            connection.execute(scan.update().where(scan.c.article_id == number).values(version=version))
        connection.execute(words.delete())
        connection.execute(tables["article_removal"].delete())
        made = {"model_id": 30, "article_id": 10, "sentence_count": 12, "text_sha256": "", "words": ["β", "TP53"]}
        connection.execute(words.insert().values(made))
    migrate(empty)
    with reading(empty) as session:
        assert db.entities.unread("a/b").ids(session, limit=9) == [30, 20]
        assert json.loads(session.get_one(ReadText, (30, 10)).made) == ["β", "TP53"]


def test_the_ids_of_jobs_asked_for_before_are_found_after_an_upgrade(empty):
    release(empty, "0012")
    payloads = {1: {"event": "one"}, 2: {"event": "one"}, 3: {"event": 7}, 4: {"nul": "\0", "event": "four"}, 5: {}}
    with engine(empty).begin() as connection:
        job = reflected(connection).tables["job"]
        others = {"progress": {}, "result": {}, "cancel_requested": False, "created_at": "", "kind": "import"}
        for number, payload in payloads.items():
            values = others | {"id": number, "state": "done", "payload": payload}
            connection.execute(job.insert().values(values))
    migrate(empty)
    with reading(empty) as session:
        found = [of_event(session, event) for event in ("one", "four", "7", "none")]
    assert [each and each.id for each in found] == [1, 4, None, None]


def test_all_titles_have_their_keys_after_an_upgrade_however_many_there_are(empty):
    release(empty, "0020")
    titles = [f"{text} \uff28\u0130_{number}" for number, text in enumerate(TEXTS * 1_700, 100)]
    with engine(empty).begin() as connection:
        article = reflected(connection).tables["article"]
        others = {"split": "", "source": "", "full_text": False, "sentence_count": 0, "warnings": [], "imported_at": ""}
        rows = [{"id": number, "key": f"{number}", "title": title} for number, title in enumerate(titles, 100)]
        connection.execute(article.insert(), [row | others for row in rows])
    migrate(empty)
    with reading(empty) as session:
        stored = session.execute(select(Article.title, Article.title_key)).all()
    assert len(stored) == len(titles) + ROWS
    assert [key for _, key in stored] == [title_key(title) for title, _ in stored]


def test_each_article_has_one_change_after_an_upgrade_and_later_ones_are_higher(empty):
    release(empty, "0021")
    migrate(empty)
    with engine(empty).begin() as connection:
        before = dict(connection.execute(select(ArticleChange.article_id, ArticleChange.mark)).all())
        connection.execute(update(Article).where(Article.id == 20).values(title="another"))
        after = dict(connection.execute(select(ArticleChange.article_id, ArticleChange.mark)).all())
    assert before.keys() == after.keys() == {10, 20, 30}
    assert {number for number in before if before[number] != after[number]} == {20}
    assert after[20] > max(before.values())


def label(address: Address, topic: str | None) -> None:
    """Gives the rows of a released database labels, and the project a topic."""
    given = [(None, None, None), ("TP53;MDM2", "", "KO"), ("", None, "")]
    kinds = ["gene", "cell", "edit"]
    with engine(address).begin() as connection:
        tables = reflected(connection).tables
        verdict, labels = tables["verdict"], tables["document_label"]
        for its, texts, kind in zip((10, 20, 30), given, kinds, strict=True):
            said = dict(zip(COLUMNS, texts, strict=True))
            connection.execute(verdict.update().where(verdict.c.id == its).values(said))
            values = {"kind": kind, "name": "one name", "article_id": 10}
            connection.execute(labels.update().where(labels.c.id == its).values(values))
        if topic is not None:
            connection.execute(tables["topic"].update().where(tables["topic"].c.id == 30).values(text=topic))


# Before there were topics, and the first and last schema with them: from each an upgrade goes through all behind it.
@pytest.mark.parametrize("revision", ["0004", "0005", "0015"])
def test_labels_move_to_the_kinds_of_the_topic_that_holds(empty, revision):
    release(empty, revision)
    has_topics = revision >= "0005"
    label(empty, TOPIC if has_topics else None)
    migrate(empty)
    after = contents(empty)
    keys = ["cell", "cells", "outcome"] if has_topics else ["gene", "cell", "edit"]
    assert [row["labels"] for row in after["verdict"]] == [
        None,
        dict(zip(keys, ("TP53;MDM2", "", "KO"), strict=True)),
        dict.fromkeys(keys, ""),
    ]
    assert [(row["kind"], row["name"]) for row in after["document_label"]] == [(key, "one name") for key in keys]


# What is read is a text, whatever the database.
@pytest.mark.parametrize(
    ("empty", "topic"),
    [("sqlite", topic) for topic in ("", "kinds: 7", "- a", "kinds: [a, {key: 5, stands_in: genes}]", "!!x y")]
    + [("postgresql", "a: [")],
    indirect=["empty"],
)
def test_a_topic_that_cannot_be_read_leaves_labels_under_the_names_that_they_had(empty, topic):
    release(empty, "0015")
    label(empty, topic)
    migrate(empty)
    assert [row["kind"] for row in contents(empty)["document_label"]] == ["gene", "cell", "edit"]


def migrate_until(address: Address, statements: int) -> None:
    """Upgrades, and is killed by SIGKILL after so many statements of the upgrade."""
    done = 0

    @event.listens_for(engine(address), "after_cursor_execute")
    def count(*_: Any) -> None:
        nonlocal done
        done += 1
        if done == statements:
            os.kill(os.getpid(), signal.SIGKILL)

    migrate(address)


@pytest.mark.parametrize("revision", KILLED)
def test_a_kill_after_each_statement_leaves_the_old_state_and_the_next_try_succeeds(empty, revision):
    release(empty, revision)
    before = state(empty)
    engine(empty).dispose()
    statements = killed = 1
    while killed:
        process = CONTEXT.Process(target=migrate_until, args=(empty, statements))
        process.start()
        process.join(60)
        killed = process.exitcode == -signal.SIGKILL
        if killed:
            assert state(empty) == before, statements
            statements += times(61, 1)
    assert process.exitcode == 0
    assert statements > 10
    assert_upgraded(empty, before[1])


def test_a_database_of_a_newer_release_is_refused_and_left_alone(empty):
    migrate(empty)
    with engine(empty).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        fill(connection, reflected(connection))
    before = contents(empty)
    with pytest.raises(DatabaseNewerThanCode, match="schema 9999"):
        migrate(empty)
    assert contents(empty) == before


def test_two_processes_may_upgrade_the_database_at_once(empty):
    release(empty, RELEASED[0])
    before = contents(empty)
    engine(empty).dispose()
    workers = [CONTEXT.Process(target=migrate, args=(empty,)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert_upgraded(empty, before)
    if isinstance(empty, Path):
        (copy,) = empty.parent.glob("keyline-before-*.sqlite")
        assert contents(copy) == before
