"""The supervisor: jobs are looked after with no page open, also after a round that failed, until the app ends."""

import threading

import pytest
from sqlalchemy.exc import OperationalError

import annotate.jobs.lifecycle
from annotate.jobs.repeating import repeating
from annotate.project.acting import KEYLINE, current_actor
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("home")


def test_jobs_are_looked_after_by_keyline_itself_until_the_app_ends(monkeypatch):
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    rounds: list[str] = []
    monkeypatch.setattr(annotate.jobs.lifecycle, "reap", lambda: rounds.append(current_actor().name))
    with repeating("supervisor", 0.01, annotate.jobs.lifecycle.look_after):
        wait_until(lambda: len(rounds) >= 3)
    assert set(rounds) == {KEYLINE.name}
    assert "supervisor" not in [thread.name for thread in threading.enumerate()]


def test_a_round_that_failed_is_followed_by_the_next(monkeypatch):
    tidied = threading.Event()
    failures = [OperationalError("UPDATE", {}, OSError("locked")), OSError("disk full")]

    def reap() -> None:
        if failures:
            raise failures.pop()

    monkeypatch.setattr(annotate.jobs.lifecycle, "reap", reap)
    monkeypatch.setattr("annotate.jobs.job_process.tidy", lambda ids, active: tidied.set())
    with repeating("supervisor", 0.01, annotate.jobs.lifecycle.look_after):
        assert tidied.wait(60)
    assert failures == []
