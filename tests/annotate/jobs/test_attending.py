"""Watching a job: its progress is shown until it ends, and its end is told as if the work had been done here."""

import threading
from contextlib import suppress

import pytest

from annotate.jobs.attending import attend, same_work
from annotate.jobs.lifecycle import cancel, enqueue, run
from annotate.jobs.monitor import Cancelled

pytestmark = pytest.mark.usefixtures("home")


def watched(handler, monkeypatch):
    """What `attend` returns of a job that a thread runs, and what it showed; the work may go on once it is seen."""
    monkeypatch.setattr("annotate.jobs.attending.LOOK_EVERY_SECONDS", 0.01)
    monkeypatch.setattr("annotate.jobs.monitor.REPORT_SECONDS", 0.0)
    job_id = enqueue("experiment", {"spec": "x"})
    seen, shown = threading.Event(), []

    def show(progress):
        shown.append(progress["stage"])
        seen.set()

    def work(payload, monitor):
        monitor.report("begun")
        assert seen.wait(60)
        return handler(job_id, monitor)

    def runs():
        with suppress(Cancelled, ValueError):  # the row says it
            run(job_id, {"experiment": work})

    worker = threading.Thread(target=runs)
    worker.start()
    try:
        return attend(job_id, show), shown
    finally:
        worker.join()


def test_it_shows_how_far_it_is_and_returns_the_result(monkeypatch):
    result, shown = watched(lambda job_id, monitor: monitor.report("more") or {"got": 7}, monkeypatch)
    assert result == {"got": 7}
    assert shown[0] == "begun" and set(shown) <= {"begun", "more"}


def test_it_raises_what_ended_the_work(monkeypatch):
    def fail(job_id, monitor):
        raise ValueError("no gold")

    def stop(job_id, monitor):
        cancel(job_id)
        monitor.report("on")
        monitor.stop_if_cancelled()

    with pytest.raises(RuntimeError, match="no gold"):
        watched(fail, monkeypatch)
    with pytest.raises(Cancelled):
        watched(stop, monkeypatch)


def test_only_work_that_was_asked_for_in_the_same_words_is_the_same():
    job_id = enqueue("simulate", {"seeds": [1, 2], "only": None})
    assert same_work("simulate", {"only": None, "seeds": (1, 2)}) == job_id
    assert same_work("simulate", {"seeds": [1], "only": None}) is None
    assert same_work("experiment", {"seeds": [1, 2], "only": None}) is None
    cancel(job_id)
    assert same_work("simulate", {"seeds": [1, 2], "only": None}) is None
