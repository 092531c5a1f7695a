"""What a verdict asks of the database, which all who wait for the lock wait for too."""

from datetime import timedelta

import pytest
from sqlalchemy import event

import annotate.review.assignments
from annotate.project.home import database, write
from annotate.project.rights import Right
from annotate.review.assignments import ExpertAssignments, present
from annotate.review.verdicts import record
from db.engine import engine
from tests.support.making import paper, query, store, verdict


@pytest.fixture(autouse=True)
def article(home) -> None:
    """A stored article of three sentences."""
    store(paper(pmid="1"))


def test_a_verdict_in_the_usual_case_asks_the_database_little():
    record("Anna", 1, [verdict(0)])  # who is an annotator from now on
    asked: list[str] = []

    def count(connection, cursor, statement, *_):
        asked.append(statement.split(maxsplit=1)[0])

    event.listen(engine(database()), "before_cursor_execute", count)
    try:
        for _ in range(2):
            asked.clear()
            given = verdict(1, "reject", shown={"rank": 1, "set": 7})
            assert record("Anna", 1, [given]) == ([given["id"]], [])
    finally:
        event.remove(engine(database()), "before_cursor_execute", count)
    # What remains are the locks of either database, and PostgreSQL's wait for its log. The last notes it for its seal.
    assert [word for word in asked if word not in ("PRAGMA", "BEGIN")][:3] == ["INSERT", "SELECT", "INSERT"]
    assert len(asked) <= 5


def test_a_lease_that_was_just_prolonged_is_left_as_it_is_and_one_that_runs_out_is_not(monkeypatch):
    open_assignment = "SELECT leased_until FROM assignment"
    with write(Right.SYSTEM) as session:
        ExpertAssignments.of(session, "Anna").insert(
            article_id=1, strategy="x", reason="x", waiting=1, at_random=False, with_proposals=True
        )
    first = query(open_assignment)
    record("Anna", 1, [verdict(0)])
    assert query(open_assignment) == first
    later = present() + timedelta(minutes=4)
    monkeypatch.setattr(annotate.review.assignments, "present", lambda: later)
    record("Anna", 1, [verdict(1)])
    assert query(open_assignment) > first
