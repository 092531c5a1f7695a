"""A clock that is set: the order is that of the ids, nobody holds an article for ever, no job ends, all is UTC."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine

import db.jobs
import db.review.verdicts
from annotate.active_learning.queue import hand_out
from annotate.gold.rows import gold_rows
from annotate.jobs import job_process
from annotate.jobs.lifecycle import enqueue, reap
from annotate.project.acting import role_of
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.review.assignments import finish_or_leave
from annotate.review.verdicts import SIGNATURE_SECONDS, Expired, check_signature, record, sign
from db.base import utc_now
from tests.support.making import paper, query, store, store_proposed, verdict
from tests.support.oracle import assert_sound
from tests.support.queueing import choose_the_first, set_queue
from tests.support.team import add, browser, cheap_hashes

pytestmark = pytest.mark.usefixtures("home")
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SETS = {
    "an hour back": NOW - timedelta(hours=1),
    "a day on": NOW + timedelta(days=1),
    "1970": datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC),
    "2099": datetime(2099, 1, 1, tzinfo=UTC),
}


@pytest.fixture(params=SETS)
def other(request: pytest.FixtureRequest) -> datetime:
    """What the clock is set to."""
    return SETS[request.param]


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    """The clock of this process, which goes on from noon."""
    with time_machine.travel(NOW) as traveller:
        yield traveller


def given(reviewer: str) -> int | None:
    found = hand_out(reviewer)
    return found.article_id if found else None


def test_the_verdict_stored_last_counts_whatever_the_clock_says(clock, other):
    store(paper(pmid="1"))
    events = [verdict(0, value) for value in ("accept", "reject", "unsure", "accept")]
    for event, moment in zip(events, (NOW, other, NOW, other), strict=True):
        clock.move_to(moment)
        record("Anna", 1, [event])
    with read() as session:
        assert [row.value for row, _, _ in db.review.verdicts.current_verdicts(session)] == ["accept"]
        assert [row["label"] for row in gold_rows(session)] == ["1"]
        assert db.review.verdicts.last_events(session)["until_verdict"] == 4
    assert [row[0] for row in query("SELECT event_id FROM verdict ORDER BY id")] == [event["id"] for event in events]
    assert_sound([event["id"] for event in events])


def test_an_article_comes_back_from_a_lease_of_another_time(clock, other, monkeypatch):
    choose_the_first(monkeypatch)
    store_proposed(2)
    set_queue()
    clock.move_to(other)
    assert given("Anna") == 1
    clock.move_to(NOW)  # corrected
    # Of another time the lease counts no more, unless it is from little more than now.
    assert given("Ben") == 1
    assert [row[0] for row in query("SELECT ending FROM assignment ORDER BY id")] == ["expired", None]
    assert len(record("Anna", 1, [verdict(0)])[0]) == 1  # late, and kept all the same
    assert given("Anna") == 2


def test_a_clock_that_is_set_ends_a_lease_and_costs_no_verdict(clock, other, monkeypatch):
    choose_the_first(monkeypatch)
    store_proposed(2)
    set_queue()
    assert given("Anna") == 1
    clock.move_to(other)
    event = verdict(0)
    assert record("Anna", 1, [event]) == ([event["id"]], [])  # renews the lease by the clock of now
    assert given("Ben") == 2
    assert given("Anna") == 1
    finish_or_leave("Anna", 1)
    assert_sound([event["id"]])


def test_a_small_correction_ends_no_lease(clock, monkeypatch):
    choose_the_first(monkeypatch)
    store_proposed(2)
    set_queue()
    assert given("Anna") == 1
    for seconds in (-30, 30):
        clock.shift(seconds)
        assert given("Ben") == 2


def test_two_processes_ten_minutes_apart_agree_who_has_an_article(clock, monkeypatch):
    choose_the_first(monkeypatch)
    store_proposed(3)
    set_queue(lease_minutes=30)
    assert given("Anna") == 1
    for minutes, reviewer in ((10, "Ben"), (0, "Cleo")):
        clock.move_to(NOW + timedelta(minutes=minutes))
        assert given(reviewer) not in (None, 1)
    assert sorted(query("SELECT article_id FROM assignment WHERE ended_at IS NULL")) == [(1,), (2,), (3,)]


def test_a_page_signed_by_another_clock_is_out_of_date_and_not_forged(clock, other):
    token = sign("Anna", 1)
    clock.move_to(other)
    age = (other - NOW).total_seconds()
    if 0 <= age <= SIGNATURE_SECONDS:
        assert check_signature(token)[1] == 1
    else:
        with pytest.raises(Expired):
            check_signature(token)
    assert check_signature(sign("Anna", 1))[1] == 1  # the page is loaded anew
    clock.move_to(NOW)
    assert check_signature(token)[1] == 1


def test_a_login_lasts_no_longer_than_its_days_whatever_clock_it_was_made_by(clock, other, monkeypatch):
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    monkeypatch.setenv("KEYLINE_IDLE_HOURS", "336")  # it is not used in between
    with cheap_hashes():
        add("Anna")
    clock.move_to(other)
    _, anna = browser("Anna")
    clock.move_to(NOW)  # corrected

    def lasts() -> bool:
        with read() as session:
            return role_of(session, anna) is not None

    # Of a clock that was little off it lasts; of years ahead it would for years, and of years back it is over.
    assert lasts() == (abs(other - NOW) <= timedelta(days=1))
    for days in (13, 16, 365, 30_000):
        clock.move_to(NOW + timedelta(days=days))
        assert lasts() == (days == 13 and abs(other - NOW) <= timedelta(days=1))
    clock.move_to(NOW)
    _, again = browser("Anna")  # nobody is shut out
    with read() as session:
        assert role_of(session, again) == "annotator"


def test_a_running_job_is_neither_ended_nor_begun_again_by_a_clock(clock, other):
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        job_id = enqueue("train", {})
        with write(Right.SYSTEM) as session:
            values = {"state": "running", "started_at": utc_now(), "heartbeat_at": utc_now(), "reported_at": utc_now()}
            assert db.jobs.change(
                session, job_id, from_states=("queued",), **values, **job_process.identity(process.pid)
            )
        for moment in (other, NOW, other):
            clock.move_to(moment)
            reap()
            assert query("SELECT state, attempts, error FROM job") == [("running", 1, None)]
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/St_Johns", "Pacific/Apia"])
@pytest.mark.parametrize("month", [3, 10])
def test_what_is_stored_in_the_hour_that_comes_twice_or_never_is_utc(zone, month, monkeypatch):
    """Times are of one form in UTC, so that their order as texts is that of time, in any zone and season."""
    store(paper(pmid="1"))
    change = datetime(2026, month, 29 if month == 3 else 25, 0, 30, tzinfo=UTC)  # Berlin changes at 01:00
    with time_machine.travel(change.astimezone(ZoneInfo(zone))) as clock:
        for _ in range(4):
            record("Anna", 1, [verdict(0, time=datetime.now(UTC).timestamp())])
            clock.shift(timedelta(minutes=20))
    rows = query("SELECT stored_at, given_at FROM verdict ORDER BY id")
    for times in zip(*rows, strict=True):
        moments = [datetime.fromisoformat(moment) for moment in times]
        assert list(times) == sorted(times) and all(moment.endswith("Z") for moment in times)
        assert [round((moment - change).total_seconds() / 60) for moment in moments] == [0, 20, 40, 60]
