"""What compares the statements that SQLite and PostgreSQL were asked, in a run of all tests on both."""

import pytest

from tests.support.statements import Comparison, outline, unasked

LATEST = "SELECT head.id, head.counts FROM head WHERE head.version_id = {0} AND {1} ORDER BY head.id DESC LIMIT {0}{2}"


def test_a_statement_is_known_whichever_database_it_is_written_for():
    sqlite = LATEST.format("?", "CAST(JSON_EXTRACT(head.counts, ?) AS BOOLEAN)", " OFFSET ?")
    postgresql = LATEST.format("%(a_1)s::INTEGER", "CAST(head.counts ->> %(b_1)s AS BOOLEAN)", "")
    assert outline(sqlite) == outline(postgresql) is not None
    assert outline('INSERT INTO query_embedding ("query") VALUES (?)') == outline(
        "INSERT INTO query_embedding (query) VALUES (%(query)s::VARCHAR) RETURNING query_embedding.id"
    )


@pytest.mark.parametrize(
    "other",
    [
        "SELECT head.id FROM head",
        "SELECT head.counts, head.id FROM head",
        "DELETE FROM head WHERE head.id = ?",
        "UPDATE head SET counts=? WHERE head.id = ?",
        "INSERT INTO head (counts) VALUES (?)",
    ],
)
def test_another_statement_is_another(other):
    assert outline(other) not in (None, outline("SELECT head.id, head.counts FROM head"))


@pytest.mark.parametrize(
    "own", ["PRAGMA user_version", "CREATE TABLE head (id INTEGER)", "SELECT name FROM sqlite_master", "SELECT 1"]
)
def test_what_belongs_to_one_database_is_not_compared(own):
    assert outline(own) is None


def test_what_sqlite_alone_was_asked_is_told_with_its_test():
    here = {"sqlite": {"SELECT a.b": "test one", "SELECT a.c": "test two"}, "postgresql": {}}
    there = {"sqlite": {}, "postgresql": {"SELECT a.b": "test one"}}
    assert unasked([here, there, {}]) == ["SELECT a.c (in test two)"]
    assert unasked([there]) == []


@pytest.mark.parametrize(("whole", "told"), [(True, ["SELECT a.b (in x)"]), (False, [])])
def test_only_a_run_of_all_tests_fails_for_it(whole, told):
    class Session:
        config = None
        exitstatus: int = pytest.ExitCode.OK

    compared, session = Comparison({"sqlite": {"SELECT a.b": "x"}, "postgresql": {}}, whole=whole), Session()
    compared.pytest_sessionfinish(session)
    assert compared.missing == told
    assert bool(session.exitstatus) == bool(told)
