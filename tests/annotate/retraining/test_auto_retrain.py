"""Training that begins by itself: when the policy says so, once, on new labels, and in the running app."""

import json
import sqlite3
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import annotate.jobs.repeating
import annotate.retraining.auto_retrain
import db.jobs
import db.rows
from annotate.cli.main import main
from annotate.jobs import lifecycle
from annotate.project import logs
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.retraining.auto_retrain import decide, night_of, tick
from annotate.retraining.retrain_policy import RetrainPolicy
from db.tables import Job
from model.training.settings import PRESETS, TrainingSettings
from tests.support.browser import serving
from tests.support.making import judge, paper, pmids, propose_with, query, store, trained_version, verdict
from tests.support.making import version_without_weights as bare
from tests.support.waiting import wait_until

NOON = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
TEST = 4


@pytest.fixture
def berlin(monkeypatch):
    """The server stands in Berlin: its clock leaves out 2:00 to 3:00 on 29 March 2026 and repeats it on 25 October."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def labelled(home, monkeypatch):
    """Three train articles and one of test, each with one verdict for key; jobs are queued, and none is run."""
    store(*(paper(pmid=pmid) for split, n in (("train", 3), ("test", 1)) for pmid in pmids(split, n)))
    version = bare("tiny")
    propose_with(version)
    for article_id in (1, 2, 3, TEST):
        judge("Anna", article_id, verdict(1))
    monkeypatch.setattr(lifecycle, "start", lifecycle.enqueue)
    return version


def policy(when: str, **values) -> None:
    change_settings("Anna", RetrainPolicy(when, **values))


def end(job_id: int, state: str) -> None:
    with write(Right.SYSTEM) as session:
        assert db.jobs.finish(session, job_id, state)


def test_by_click_nothing_begins_and_no_version_is_made(home):
    assert (tick(NOON), decide(NOON).reason) == (None, "training begins only by a click")
    assert query("SELECT count(*) FROM model_version") == [(0,)]


def test_after_so_many_verdicts_a_job_begins_that_says_why(labelled):
    policy("after", after_verdicts=5)
    assert (tick(NOON), decide(NOON).reason) == (None, "4 of 5 new verdicts")
    judge("Anna", 1, verdict(0, "reject"))
    assert decide(NOON).reason == "5 new verdicts"
    job_id = tick(NOON)
    with read() as session:
        job = db.jobs.latest_automatic(session, "train")
    assert (job.id, job.kind, job.state) == (job_id, "train", "queued")
    assert (job.payload["automatic"], job.payload["until_verdict"], job.payload["parent"]) == (
        "5 new verdicts",
        5,
        "tiny",
    )
    assert TrainingSettings(**job.payload["settings"]) == PRESETS["few labels"]


def test_a_second_one_never_begins_beside_the_first(labelled):
    policy("after", after_verdicts=1)
    decided = decide(NOON)
    assert tick(NOON) is not None
    assert (tick(NOON), decide(NOON).reason) == (None, "a training is running")
    assert annotate.retraining.auto_retrain.begin(decided) is None  # of another process that decided at the same moment
    assert query("SELECT count(*) FROM job") == [(1,)]


def test_many_at_once_begin_one(labelled):
    policy("after", after_verdicts=1)
    found: list[int | None] = []
    threads = [threading.Thread(target=lambda: found.append(tick(NOON))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found, key=str) == [1, None, None, None, None, None]


def test_the_labels_of_the_last_version_are_not_trained_on_again(labelled):
    policy("after", after_verdicts=1)
    trained_version("v1", parent=labelled)
    assert decide(NOON).reason == "0 of 1 new verdicts"
    judge("Ben", 1, verdict(1))  # agrees
    assert decide(NOON).reason == "no label differs from those that v1 was trained on"
    judge("Ben", 1, verdict(0, "reject"))
    assert decide(NOON).reason == "2 new verdicts"


@pytest.mark.parametrize("state", ["failed", "cancelled"])
@pytest.mark.parametrize("when", ["after", "night"])
def test_after_a_run_that_did_not_end_well_verdicts_must_come_first(labelled, berlin, when, state):
    policy(when, after_verdicts=1)
    now = datetime.now().astimezone().replace(hour=2, minute=10) + timedelta(days=3)  # nights after the job's row
    end(tick(now), state)
    assert tick(now) is None
    assert tick(now + timedelta(days=1)) is None
    judge("Anna", 1, verdict(0, "reject"))
    assert tick(now + timedelta(days=1)) is not None


def test_a_failed_run_of_a_person_holds_nothing_back(labelled):
    policy("after", after_verdicts=4)
    with write(Right.SYSTEM) as session:
        job_id = db.jobs.insert_job(session, "train", {})
    end(job_id, "failed")
    assert tick(NOON) is not None


@pytest.mark.parametrize(
    ("article_id", "reason"),
    [(TEST, "no article of the test split has a key sentence yet"), (1, "the train split has no key sentence yet")],
)
def test_without_gold_to_train_and_test_on_it_waits_with_the_reason(labelled, article_id, reason):
    policy("after", after_verdicts=1)
    for each in (1, 2, 3) if article_id == 1 else (TEST,):
        judge("Anna", each, verdict(1, "withdrawn"))
    assert (tick(NOON), decide(NOON).reason) == (None, reason)


def at(text: str) -> datetime:
    """A moment of Berlin's clock, its offset written."""
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("now", "hour", "start"),
    [
        ("2026-03-10T01:59:59+01:00", 2, None),
        ("2026-03-10T02:00:00+01:00", 2, "2026-03-10T02:00:00+01:00"),
        ("2026-03-10T02:59:59+01:00", 2, "2026-03-10T02:00:00+01:00"),
        ("2026-03-10T03:00:00+01:00", 2, None),
        ("2026-03-10T01:30:00+00:00", 2, "2026-03-10T02:00:00+01:00"),  # the caller's zone does not matter
        ("2026-03-10T23:30:00+01:00", 23, "2026-03-10T23:00:00+01:00"),
        ("2026-03-11T00:00:00+01:00", 23, None),
        ("2026-03-10T00:30:00+01:00", 0, "2026-03-10T00:00:00+01:00"),
        ("2026-03-29T01:59:59+01:00", 2, None),  # 2:00 does not come: it is 3:00 then
        ("2026-03-29T03:10:00+02:00", 2, "2026-03-29T03:00:00+02:00"),
        ("2026-03-29T04:00:00+02:00", 2, None),
        ("2026-10-25T02:30:00+02:00", 2, "2026-10-25T02:00:00+02:00"),  # 2:00 comes twice: the first counts
        ("2026-10-25T02:30:00+01:00", 2, None),
    ],
)
def test_the_night_begins_at_the_servers_hour_and_lasts_one(berlin, now, hour, start):
    assert night_of(at(now), hour) == (at(start) if start else None)


@pytest.mark.postgresql
def test_once_a_night_even_where_the_app_starts_late_or_its_clock_goes_back(labelled, berlin):
    policy("night")
    early, late = at("2026-03-10T01:50:00+01:00"), at("2026-03-10T02:55:00+01:00")
    assert (tick(early), decide(early).reason) == (None, "it is not between 02:00 and 03:00, server's time")
    job_id = tick(late)
    assert job_id is not None
    with write(Right.SYSTEM) as session:
        db.jobs.change(session, job_id, from_states=("queued",), created_at="2026-03-10T01:55:00.000Z")
    with read() as session:
        assert db.rows.get(session, Job, job_id).payload["automatic"] == "4 new verdicts at 02:00"
    end(job_id, "done")
    judge("Anna", 1, verdict(0, "reject"))
    for now in (late, at("2026-03-10T02:05:00+01:00")):  # set back by 50 minutes
        assert (tick(now), decide(now).reason) == (None, "tonight's run was begun already")
    assert tick(at("2026-03-09T02:05:00+01:00")) is not None  # set back by a day: it is another night


def test_the_command_says_what_it_did_or_why_not(labelled, capsys):
    assert main(["auto-retrain"]) == 0
    assert capsys.readouterr().out == "training begins only by a click\n"
    assert main(["retrain-policy", "--when", "after", "--after-verdicts", "4", "--gate", "better"]) == 0
    said = capsys.readouterr().out
    assert "when: after" in said and "gate: better" in said and "Nothing was trained here yet" in said
    assert main(["auto-retrain"]) == 0
    assert capsys.readouterr().out == "job 1 was started: 4 new verdicts\n"
    assert main(["auto-retrain"]) == 0
    assert capsys.readouterr().out == "a training is running\n"
    assert main(["retrain-policy", "--night-hour", "24"]) == 1
    assert "night_hour is 24" in capsys.readouterr().err


def test_the_thread_ticks_on_after_trouble_and_ends_with_the_app(home, monkeypatch):
    ticks: list[None] = []

    def trouble() -> None:
        ticks.append(None)
        raise (sqlite3.OperationalError("disk I/O error"), OSError("disk full"), ValueError("bad"))[len(ticks) % 3]

    told: list[dict[str, str]] = []
    monkeypatch.setattr(logs, "warning", lambda name, **details: told.append(details))
    monkeypatch.setattr(annotate.jobs.repeating, "TROUBLE", (*annotate.jobs.repeating.TROUBLE, sqlite3.Error))
    with annotate.jobs.repeating.repeating("auto-retrain", 0.01, trouble):
        wait_until(lambda: len(ticks) >= 4)
    assert {"duty": "auto-retrain", "reason": "OSError: disk full"} in told
    assert not [thread for thread in threading.enumerate() if thread.name == "auto-retrain"]


def test_the_running_app_begins_a_training_by_itself(tiny_home: Path):
    store(*(paper(pmid=pmid) for split, n in (("train", 2), ("test", 1)) for pmid in pmids(split, n)))
    for article_id in (1, 2, 3):
        judge("Anna", article_id, verdict(1))
    policy("after", after_verdicts=1)

    def trainings() -> list[tuple[str, str]]:
        return query("SELECT state, CAST(payload AS TEXT) FROM job WHERE kind = 'train'")

    with serving(tiny_home):
        wait_until(lambda: any(state not in db.jobs.ACTIVE for state, _ in trainings()), 90)
    ((state, payload),) = trainings()
    assert (state, json.loads(payload)["automatic"]) == ("done", "3 new verdicts"), query("SELECT error FROM job")
    assert query("SELECT name FROM model_version WHERE kind = 'encoder' ORDER BY id") == [("tiny",), ("v1",)]
