"""Statements compiled once for all databases of a run of tests, instead of once for each test's own."""

import os
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Engine, TextClause, create_engine
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.util import LRUCache

import db.engine
from tests.support.statements import Asked, outline

STATEMENTS = 5_000  # many times what the product has
ASKED: Asked = {"sqlite": {}, "postgresql": {}}


class _Noting(LRUCache[Any, Any]):
    """Notes which test was the first to ask a kind of database for a statement."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        if not isinstance(value, SQLCompiler) or isinstance(value.statement, TextClause):
            return  # the product writes no questions as text, only its tests do
        if (known := outline(value.string)) is not None:
            ASKED[value.dialect.name].setdefault(known, os.environ.get("PYTEST_CURRENT_TEST", "no test"))


COMPILED: LRUCache[Any, Any] = _Noting(STATEMENTS)


def compile_once() -> None:
    """From now on all engines of a kind of database share what they compiled, an eighth of the work of such tests.

    SQLAlchemy keeps it by engine and, within, by the object of its dialect, of which each engine has its own.
    """
    for dialect in (SQLiteDialect_pysqlite, PGDialect_psycopg):
        dialect.__eq__ = _same_kind  # type: ignore[method-assign]
        dialect.__hash__ = _hash_of_kind  # type: ignore[method-assign]
        dialect.initialize = _asking_once(dialect.initialize)  # type: ignore[method-assign]
    db.engine.create_engine = _sharing  # type: ignore[assignment]


def _sharing(*arguments: Any, **options: Any) -> Engine:
    return create_engine(*arguments, execution_options={"compiled_cache": COMPILED}, **options)


def _asking_once(initialize: Callable[[Any, Connection], None]) -> Callable[[Any, Connection], None]:
    """What an engine asks of a server at its first connection, its version for instance, is told to all that follow: a
    tenth of the work of a test on PostgreSQL."""
    told: dict[str | None, dict[str, Any]] = {}

    def asked(dialect: Any, connection: Connection) -> None:
        level = dialect._on_connect_isolation_level
        if level not in told:
            before = dict(vars(dialect))
            initialize(dialect, connection)
            told[level] = {name: value for name, value in vars(dialect).items() if before.get(name, told) is not value}
        vars(dialect).update(told[level])

    return asked


def _same_kind(one: object, other: object) -> bool:
    return type(one) is type(other)


def _hash_of_kind(one: object) -> int:
    return hash(type(one))
