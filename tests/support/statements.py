"""What the tests of a run on both databases asked of each: PostgreSQL must have seen every statement that SQLite saw.

A test that runs on both takes its time twice, and most of what it proves does not depend on the database. So few do
(`tests/support/choice.py`), and this says when they are too few: a statement counts by its kind and by the columns
that it names, in their order, since the rest is written differently for each.
"""

import re
from collections.abc import Iterable

import pytest

# {database: {statement: the test that was the first to ask it}}
Asked = dict[str, dict[str, str]]

_SCHEMA = re.compile(
    r"\s*(CREATE|DROP|ALTER|PRAGMA|VACUUM|ANALYZE|BEGIN)\b|.*\b(alembic_version|_alembic_tmp_\w+|sqlite_\w+|pg_\w+)\b",
    re.S,
)
_STRINGS = re.compile(r"'[^']*'|\"")
_VERB = re.compile(r"\s*(\w+)(?:\s+(?:INTO|FROM)\s+(\w+)|\s+(\w+)\s+SET\b)?")
_COLUMN = re.compile(r"\b(?!anon_)([a-z]\w*\.[a-z]\w*)\b")
_RETURNING = re.compile(r"\sRETURNING\s.*", re.S)


def outline(sql: str) -> str | None:
    """A statement without what depends on the database; None for what only one of them is ever asked."""
    if _SCHEMA.match(sql):
        return None
    plain = _RETURNING.sub("", _STRINGS.sub("", sql))
    verb, *tables = [part for part in _VERB.match(plain).groups() if part]  # type: ignore[union-attr]
    columns = _COLUMN.findall(plain)
    return " ".join([verb, *tables[:1], *columns]) if columns or verb != "SELECT" else None


def unasked(found: Iterable[Asked]) -> list[str]:
    """Which statements SQLite saw in some process and PostgreSQL in none, with the test that asked."""
    on: Asked = {"sqlite": {}, "postgresql": {}}
    for asked in found:
        for database, statements in asked.items():
            on[database] = statements | on[database]
    return [f"{sql} (in {test})" for sql, test in sorted(on["sqlite"].items()) if sql not in on["postgresql"]]


class Comparison:
    """A part of pytest that compares, at the end of a run of all tests on both databases, and fails the run."""

    def __init__(self, own: Asked, *, whole: bool) -> None:
        self.own = own
        self.whole = whole
        self.found: list[Asked] = [own]
        self.missing: list[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """A process of the run has ended."""
        self.found.append(getattr(node, "workeroutput", {}).get("asked", {}))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hands over what this process asked, or compares what all did."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["asked"] = self.own
        elif self.whole and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            self.missing = unasked(self.found)  # where tests failed, some may be named that those would have asked
            session.exitstatus = pytest.ExitCode.TESTS_FAILED if self.missing else session.exitstatus

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Names the statements."""
        if self.missing:
            terminalreporter.section("SQLite was asked, PostgreSQL never: let the test, or another, run on both")
            terminalreporter.write("\n".join(self.missing) + "\n")
