"""The oracle of every load and fault test: what was acknowledged is stored, once, in a database that is whole."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from annotate.project.home import database
from tests.support.making import query

# The tables of events, each row with an id that the page made and that is unique.
EVENTS = ("verdict", "comment", "reading", "audit_verdict")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the oracle says: acknowledged ids without a row, rows beyond one an event, and all that is wrong in words.

    `unasked` are rows that nobody sent, where it was told what was sent.
    """

    stored: int
    lost: int
    doubled: int
    unasked: int
    complaints: tuple[str, ...]


def oracle(acknowledged: Collection[str], sent: Collection[str] | None = None) -> Verdict:
    """Compares the test's database with what was acknowledged, and with what was sent where that is given.

    There are no stored counters to compare with: every count of Keyline is a query. Counting by each index instead
    shows an index that differs from its table, as integrity_check does too. PostgreSQL checks both by itself.
    """
    complaints: list[str] = []
    ids: list[str] = []
    for table in EVENTS:
        found = [row[0] for row in query(f"SELECT event_id FROM {table} ORDER BY id")]
        ids += found
        counts = {
            "distinct events": f"SELECT count(DISTINCT event_id) FROM {table}",
            "events by annotator": f"SELECT count(*) FROM {table} JOIN annotator ON annotator.id = annotator_id",
            "events by article": f"SELECT count(*) FROM {table} JOIN article ON article.id = article_id",
        }
        for what, sql in counts.items():
            if (number := query(sql)[0][0]) != len(found):
                complaints.append(f"{table}: {len(found)} rows, but {number} {what}")
    stored = set(ids)
    lost = len(set(acknowledged) - stored)
    unasked = 0 if sent is None else len(stored - set(sent))
    if lost:
        complaints.append(f"{lost} acknowledged events are not stored")
    if unasked:
        complaints.append(f"{unasked} rows that nobody sent")
    if isinstance(database(), Path):
        complaints += [f"integrity_check: {row[0]}" for row in query("PRAGMA integrity_check") if row != ("ok",)]
        complaints += [f"foreign_key_check: {row}" for row in query("PRAGMA foreign_key_check")]
    return Verdict(len(ids), lost, len(ids) - len(stored), unasked, tuple(complaints))


def assert_sound(acknowledged: Collection[str], sent: Collection[str] | None = None) -> None:
    """Fails, in words, unless the oracle has nothing to complain of."""
    assert oracle(acknowledged, sent).complaints == ()
