"""Jobs: one of a kind, cancelled when asked, and a reason on the row however they end."""

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import psutil
import pytest

import annotate.jobs
import db.jobs
from annotate.home import read, write
from annotate.jobs import (
    AlreadyRunning,
    Cancelled,
    Monitor,
    cancel,
    enqueue,
    is_alive,
    log_tail,
    reap,
    run,
    run_here,
    start,
)
from annotate.rights import Right
from annotate.work import HANDLERS
from tests.making import paper, query, store

pytestmark = pytest.mark.usefixtures("home")


def row(job_id: int):
    with read() as session:
        return db.jobs.job(session, job_id)


def ended(job_id: int, seconds: float = 30):
    """The job's row once it is no longer active."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        reap()
        job = row(job_id)
        if job.state not in db.jobs.ACTIVE:
            return job
        time.sleep(0.05)
    raise AssertionError(f"job {job_id} is still {job.state}; {log_tail(job_id)}")


def quiet(progress) -> None:
    """Shows nothing."""


def test_a_job_that_ends_well_leaves_its_result():
    seen: list[dict] = []

    def handler(payload, monitor):
        monitor.report("counting", 3, 4, note="x")
        return {"got": payload["number"]}

    assert run_here("count", {"number": 7}, {"count": handler}, seen.append) == {"got": 7}
    job = row(1)
    assert (job.state, job.result, job.error) == ("done", {"got": 7}, None)
    assert job.progress == {"stage": "counting", "done": 3, "total": 4, "note": "x"} == seen[0]
    assert job.created_at <= job.started_at <= job.finished_at
    assert job.pid == os.getpid()


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no gold: α"), "no gold: α"),
        (MemoryError(), "MemoryError"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (SystemExit(3), "3"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_a_job_that_fails_keeps_the_error_text_and_raises_it(error, text):
    def handler(payload, monitor):
        monitor.report("half way", 1, 2)
        raise error

    with pytest.raises(type(error)):
        run_here("fail", {}, {"fail": handler}, quiet)
    assert (row(1).state, row(1).error, row(1).progress["stage"]) == ("failed", text, "half way")
    with pytest.raises(type(error)):  # and the next one may start
        run_here("fail", {}, {"fail": handler}, quiet)


def test_a_second_job_of_a_kind_is_refused_and_another_kind_is_not():
    enqueue("train", {})
    with pytest.raises(AlreadyRunning, match="a job to train is running already"):
        enqueue("train", {})
    with pytest.raises(AlreadyRunning):
        start("train", {})
    assert enqueue("import", {}) == 2
    assert query("SELECT count(*) FROM job") == [(2,)]


def test_a_job_runs_once():
    job_id = enqueue("count", {})
    assert run(job_id, {"count": lambda payload, monitor: {}}) == {}
    for number in (job_id, 99):
        with pytest.raises(AlreadyRunning, match=f"job {number} is not waiting"):
            run(number, {"count": lambda payload, monitor: {}})


def test_a_queued_job_that_is_cancelled_never_begins():
    job_id = enqueue("count", {})
    cancel(job_id)
    assert row(job_id).state == "cancelled"
    with pytest.raises(AlreadyRunning):
        run(job_id, {"count": lambda payload, monitor: {}})
    assert enqueue("count", {}) == job_id + 1


def test_a_running_job_stops_where_it_asks(monkeypatch):
    monkeypatch.setattr(annotate.jobs, "REPORT_SECONDS", 0.0)

    def handler(payload, monitor):
        monitor.stop_if_cancelled()
        cancel(monitor.job_id)
        monitor.report("on", 5, 10)
        monitor.stop_if_cancelled()
        raise AssertionError("went on")

    with pytest.raises(Cancelled):
        run_here("work", {}, {"work": handler}, quiet)
    job = row(1)
    assert (job.state, job.error, job.progress["done"]) == ("cancelled", None, 5)
    cancel(1)
    assert row(1).state == "cancelled"


def test_progress_is_written_now_and_then_and_at_every_stage(monkeypatch):
    writes: list[dict] = []
    real = Monitor.flush

    def flush(self):
        writes.append(dict(self.progress))
        real(self)

    monkeypatch.setattr(Monitor, "flush", flush)

    def handler(payload, monitor):
        for number in range(100):
            monitor.report("one", number, 100)
        monitor.report("two")
        return {}

    run_here("work", {}, {"work": handler}, quiet)
    assert [(entry["stage"], entry["done"]) for entry in writes] == [("one", 0), ("two", 0)]


def test_a_payload_that_cannot_be_stored_is_refused_at_once():
    with pytest.raises(TypeError):
        enqueue("train", {"path": object()})
    assert query("SELECT count(*) FROM job") == [(0,)]


def test_a_killed_worker_becomes_a_failed_job_with_a_reason():
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    job_id = enqueue("train", {})
    with write(Right.SYSTEM) as session:
        identity = {"pid": process.pid, "process_started": psutil.Process(process.pid).create_time()}
        db.jobs.change(session, job_id, from_states=("queued",), state="running", **identity)
    reap()
    assert row(job_id).state == "running"
    process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while is_alive(row(job_id)) and time.monotonic() < deadline:  # a zombie, since nobody has waited for it
        time.sleep(0.01)
    reap()
    process.wait()
    job = row(job_id)
    assert job.state == "failed" and "killed" in job.error and job.finished_at
    assert enqueue("train", {}) == job_id + 1


def test_a_pid_that_belongs_to_another_process_by_now_is_not_the_job():
    job_id = enqueue("train", {})
    with write(Right.SYSTEM) as session:
        values = {"state": "running", "pid": os.getpid(), "process_started": 1.0}
        db.jobs.change(session, job_id, from_states=("queued",), **values)
    reap()
    assert row(job_id).state == "failed"


def test_a_cancelled_job_whose_process_died_is_cancelled_and_not_failed():
    job_id = enqueue("train", {})
    with write(Right.SYSTEM) as session:
        values = {"state": "running", "pid": 2**22 + 1, "process_started": 1.0}
        db.jobs.change(session, job_id, from_states=("queued",), **values)
    cancel(job_id)
    reap()
    assert (row(job_id).state, row(job_id).error) == ("cancelled", None)


def test_a_job_that_no_process_claims_is_given_up_after_a_minute():
    job_id = enqueue("train", {})
    reap()
    assert row(job_id).state == "queued"
    with write(Right.SYSTEM) as session:
        old = (datetime.now(UTC) - timedelta(seconds=annotate.jobs.START_SECONDS + 1)).isoformat()
        db.jobs.change(session, job_id, from_states=("queued",), created_at=old)
    reap()
    assert row(job_id).state == "failed"


def test_a_job_in_its_own_process_outlives_the_caller_and_logs(tmp_path):
    path = tmp_path / "articles" / "a.txt"
    path.parent.mkdir()
    path.write_text("A title\n\nHere we deleted TP53. The assay was measured.\n")
    job_id = start("import", {"paths": [str(path.parent)]})
    with pytest.raises(AlreadyRunning):
        start("import", {"paths": []})
    job = ended(job_id)
    assert (job.state, job.error) == ("done", None), log_tail(job_id)
    assert job.result["counts"]["stored"] == 1
    assert job.pid != os.getpid()
    assert query("SELECT count(*) FROM article") == [(1,)]


def test_a_job_in_its_own_process_that_fails_says_why(tmp_path):
    job = ended(start("import", {"paths": [str(tmp_path / "none")]}))
    assert job.state == "failed"
    assert "no such file or folder" in job.error
    assert "no such file or folder" in log_tail(job.id)


def test_a_worker_that_is_killed_while_it_imports_leaves_whole_articles(tmp_path):
    folder = tmp_path / "articles"
    folder.mkdir()
    for number in range(3000):
        (folder / f"{number}.txt").write_text(
            f"Title {number}\n\nHere we deleted gene {number}. The assay was measured.\n"
        )
    job_id = start("import", {"paths": [str(folder)]})
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and query("SELECT count(*) FROM article") == [(0,)]:
        time.sleep(0.01)
    os.kill(row(job_id).pid, signal.SIGKILL)
    job = ended(job_id)
    assert job.state == "failed" and "killed" in job.error
    ((articles, counted),) = query("SELECT count(*), sum(sentence_count) FROM article")
    ((sentences,),) = query("SELECT count(*) FROM sentence")
    assert 0 < articles < 3000 and sentences == counted
    assert query("PRAGMA integrity_check") == [("ok",)]
    assert store(paper(pmid="1")).counts["stored"] == 1


def test_a_process_that_does_not_hear_the_wish_to_cancel_is_killed():
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    job_id = enqueue("train", {})
    old = (datetime.now(UTC) - timedelta(seconds=annotate.jobs.DEAF_SECONDS + 1)).isoformat()
    started = psutil.Process(process.pid).create_time()
    values = {"state": "running", "pid": process.pid, "process_started": started, "reported_at": old}
    with write(Right.SYSTEM) as session:
        db.jobs.change(session, job_id, from_states=("queued",), **values)
    reap()
    assert row(job_id).state == "running"  # silent, but nobody wants it to stop
    cancel(job_id)
    reap()
    assert row(job_id).state == "cancelled"
    assert not psutil.pid_exists(process.pid)  # it would have slept for ten minutes; reap() also collected its end
    process.wait()


def test_every_handler_is_known_by_the_name_of_a_kind():
    assert set(HANDLERS) == {"import", "propose", "train", "evaluate", "report", "experiment", "simulate", "encoder"}
