"""Somebody leaves: what they said stays, what they held comes back, and nobody acts in their name."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from annotate.active_learning.queue import hand_out
from annotate.gold.label_sets import current_label_set
from annotate.gold.rows import gold_rows
from annotate.project.acting import OPERATOR, Forbidden, acting
from annotate.project.home import database, read
from annotate.review.verdicts import record
from annotate.team import people
from db.engine import engine
from tests.support.making import comment, contents, query, reading, store_proposed, verdict
from tests.support.queueing import choose_the_first, set_queue
from tests.support.team import browser, cheap_hashes, team

SAID = ("verdict", "comment", "reading", "annotator", "assignment", "history")


@pytest.fixture
def accounts(home, monkeypatch) -> dict[str, int]:
    """A team whose Anna has an article in hand and has judged some of it."""
    choose_the_first(monkeypatch)
    store_proposed(2)
    with acting(OPERATOR):
        set_queue()
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        made = team()
    with acting(browser("Anna")[1]):
        handed = hand_out("Anna")
        assert handed and handed.article_id == 1
        stored, _ = record("Anna", 1, [verdict(0), verdict(1, "reject"), comment(0, "sure"), reading()])
        assert len(stored) == 4
    return made


def labels() -> tuple[str, list[str]]:
    """The label set's hash and the gold rows."""
    with read() as session:
        return current_label_set(session).sha256, [str(row) for row in gold_rows(session)]


def test_what_a_disabled_person_said_stays_and_counts_and_they_say_nothing_more(accounts):
    _, anna = browser("Anna")
    before, said = labels(), contents(*SAID)
    with acting(OPERATOR):
        people.disable(accounts["Anna"])
    assert labels() == before
    assert {name: rows[: len(said[name])] for name, rows in contents(*SAID).items()} == said
    with acting(anna), pytest.raises(Forbidden):
        record("Anna", 1, [verdict(2)])
    with acting(browser("Cora")[1]), pytest.raises(Forbidden):
        record("Anna", 1, [verdict(2)])
    assert labels() == before


def test_what_a_disabled_person_held_comes_back_when_the_lease_is_over(accounts):
    with acting(OPERATOR):
        people.disable(accounts["Anna"])
    with time_machine.travel(0, tick=False) as clock:
        clock.move_to(handed_at() + timedelta(minutes=31))
        with acting(browser("Cora")[1]):
            handed = hand_out("Cora")
    # Anna was done with it: read in full. The other one waits.
    assert handed and handed.article_id == 2
    assert query("SELECT ending FROM assignment WHERE article_id = 1") == [("finished",)]


def handed_at() -> datetime:
    """When the last article was handed out."""
    ((latest,),) = query("SELECT max(created_at) FROM assignment")
    return datetime.fromisoformat(latest).astimezone(UTC)


@pytest.mark.parametrize("table", ["annotator", "account"])
def test_not_even_by_hand_is_a_person_deleted_with_what_hangs_on_them(accounts, table):
    before = labels()
    with pytest.raises(IntegrityError), engine(database()).begin() as connection:
        connection.execute(text(f"DELETE FROM {table} WHERE id = (SELECT min(id) FROM {table})"))
    assert labels() == before


def test_an_account_that_is_deleted_by_hand_leaves_what_was_said(accounts):
    _, anna = browser("Anna")
    before, said = labels(), contents("verdict", "comment", "reading", "annotator")
    with engine(database()).begin() as connection:
        connection.execute(text("DELETE FROM login_session WHERE account_id = :id"), {"id": accounts["Anna"]})
        connection.execute(text("DELETE FROM account WHERE id = :id"), {"id": accounts["Anna"]})
    assert labels() == before and contents("verdict", "comment", "reading", "annotator") == said
    with acting(anna), pytest.raises(Forbidden):
        record("Anna", 1, [verdict(2)])
