"""Jobs whose process died, hangs or was lost: begun again, ended with a reason, and never two at once."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

import annotate.jobs.lifecycle
import db.jobs
from annotate.jobs import job_process
from annotate.jobs.job_process import scratch
from annotate.jobs.lifecycle import cancel, enqueue, log_tail, look_after, reap, run_here, start
from annotate.jobs.monitor import Cancelled, Monitor
from annotate.project.acting import Actor, acting
from annotate.project.home import folder, write
from annotate.project.rights import Right
from tests.annotate.jobs.test_lifecycle import ended, quiet, row
from tests.support.making import paper, query, store
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def started(monkeypatch) -> list[tuple[int, int]]:
    """(job id, attempt) of every process that would have been started."""
    found: list[tuple[int, int]] = []
    monkeypatch.setattr(
        annotate.jobs.lifecycle, "_start_process", lambda job_id, attempt: found.append((job_id, attempt))
    )
    return found


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """The monotonic clock that patience counts by, as a list of one number."""
    now = [1000.0]
    monkeypatch.setattr(job_process, "monotonic", lambda: now[0])
    return now


def set_row(job_id: int, **values) -> None:
    with write(Right.SYSTEM) as session:
        assert db.jobs.change(session, job_id, from_states=db.jobs.ACTIVE, **values)


def dead_job(kind: str = "train", **values) -> int:
    """A running job whose process is gone."""
    job_id = enqueue(kind, {})
    set_row(job_id, state="running", host=job_process.HOST, pid=2**22 + 1, process_started=1.0, **values)
    return job_id


def sleeper(**more) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], **more)


def test_a_killed_worker_is_known_at_once_and_its_job_begun_again(started):
    process = sleeper()
    job_id = enqueue("train", {})
    set_row(job_id, state="running", **job_process.identity(process.pid))
    reap()
    assert row(job_id).state == "running"
    process.send_signal(signal.SIGKILL)
    wait_until(lambda: not job_process.runs(row(job_id)))  # a zombie, since nobody has waited for it
    reap()
    process.wait()
    job = row(job_id)
    assert (job.state, job.attempts, job.pid, job.host, job.heartbeat_at) == ("queued", 2, None, None, None)
    assert started == [(job_id, 2)]
    reap()
    assert started == [(job_id, 2)]  # its new process has not said a word yet, and has the length of a lease


def test_after_three_attempts_a_job_fails_and_says_so(started):
    job_id = dead_job()
    for _ in range(annotate.jobs.lifecycle.ATTEMPTS):
        reap()
        if row(job_id).state == "queued":
            set_row(job_id, state="running", host=job_process.HOST, pid=2**22 + 1, process_started=1.0)
    job = row(job_id)
    assert started == [(job_id, 2), (job_id, 3)]
    assert (job.state, job.attempts) == ("failed", 3) and job.finished_at
    assert "given up after 3 attempts" in job.error and "killed, ran out of memory" in job.error
    assert enqueue("train", {}) == job_id + 1


def test_of_two_that_see_a_dead_process_one_begins_it_again(started):
    job_id = dead_job()
    seen = row(job_id)
    for _ in range(2):
        annotate.jobs.lifecycle._begin_again(seen)
    assert started == [(job_id, 2)] and row(job_id).attempts == 2


def test_a_process_that_cannot_be_started_leaves_a_failed_job(monkeypatch):
    monkeypatch.setattr(annotate.jobs.lifecycle, "WORKER", ("/no/such/program",))
    with pytest.raises(FileNotFoundError):
        start("train", {})
    assert row(1).state == "failed" and "its process could not be started" in row(1).error
    job_id = dead_job()
    reap()
    assert row(job_id).state == "failed" and "its process could not be started" in row(job_id).error


def test_a_pid_that_belongs_to_another_process_by_now_is_not_the_job(started):
    job_id = enqueue("train", {})
    set_row(job_id, state="running", **job_process.identity(os.getpid()) | {"process_started": 1.0})
    reap()
    assert started == [(job_id, 2)]


def test_the_process_of_an_earlier_release_is_neither_doubled_nor_forgotten(started, clock):
    """It noted no host and no attempt, and the time of its start by the clock; and it tells no heartbeat."""
    process = sleeper()
    job_id = enqueue("train", {})
    begun = psutil.Process(process.pid).create_time()
    set_row(job_id, state="running", host=None, pid=process.pid, process_started=begun, attempts=0)
    reap()
    clock[0] += annotate.jobs.lifecycle.LEASE_SECONDS + 1
    reap()
    assert row(job_id).state == "running" and not started
    process.kill()
    process.wait()
    reap()
    assert (row(job_id).state, started) == ("queued", [(job_id, 1)])


def test_a_cancelled_job_whose_process_died_is_cancelled_and_not_begun_again(started):
    job_id = dead_job()
    cancel(job_id)
    reap()
    assert (row(job_id).state, row(job_id).error, started) == ("cancelled", None, [])


def test_a_job_that_no_process_claims_within_the_lease_is_begun_again(started, clock):
    job_id = enqueue("train", {})
    for seconds in (0, 59, 1):
        clock[0] += seconds
        reap()
        assert row(job_id).attempts == 1
    clock[0] += 0.1
    reap()
    assert started == [(job_id, 2)]


def test_of_a_process_on_another_host_the_lease_decides(started, clock):
    job_id = dead_job()
    set_row(job_id, host="elsewhere", heartbeat_at="2020-01-01T00:00:00.000Z")
    reap()
    clock[0] += 59
    set_row(job_id, heartbeat_at="2019-01-01T00:00:00.000Z")  # whatever the time there: it is another one
    reap()
    clock[0] += 59
    reap()
    assert (row(job_id).state, started) == ("running", [])
    clock[0] += 2
    reap()
    assert (row(job_id).state, started) == ("queued", [(job_id, 2)])


@pytest.mark.parametrize("now", ["1970-01-01T00:00:00Z", "2026-03-29T02:30:00Z", "2038-01-19T03:14:08Z"])
def test_a_clock_that_is_set_neither_ends_nor_revives_a_job(started, clock, monkeypatch, now):
    """Times on the row may be of any year, and go back between two signs of life."""
    process = sleeper()
    monkeypatch.setattr(annotate.jobs.lifecycle, "utc_now", lambda: now)
    job_id = enqueue("train", {})
    set_row(job_id, state="running", heartbeat_at=now, reported_at=now, **job_process.identity(process.pid))
    reap()
    clock[0] += annotate.jobs.lifecycle.STALL_SECONDS - 1
    reap()
    assert row(job_id).state == "running" and not started
    process.kill()
    process.wait()
    reap()
    assert row(job_id).state == "queued" and started == [(job_id, 2)]


def test_the_start_of_a_process_is_told_without_the_clock(monkeypatch):
    """The kernel tells it since boot; a clock that is set moves the time of the boot with it."""
    job_id = enqueue("train", {})
    set_row(job_id, state="running", **job_process.identity(os.getpid()))
    boot, created = psutil.boot_time(), psutil.Process.create_time
    monkeypatch.setattr(psutil, "boot_time", lambda: boot + 86_400)
    monkeypatch.setattr(psutil.Process, "create_time", lambda process: created(process) + 86_400)
    assert job_process.runs(row(job_id))


def test_a_process_whose_job_was_given_to_another_stops_and_changes_nothing_more(monkeypatch, started):
    monkeypatch.setattr("annotate.jobs.monitor.REPORT_SECONDS", 0.0)

    def handler(payload, monitor):
        set_row(monitor.job_id, host="elsewhere", pid=None)
        annotate.jobs.lifecycle._begin_again(row(monitor.job_id))
        monitor.report("too late", 1, 1)
        monitor.stop_if_cancelled()
        raise AssertionError("went on")

    with pytest.raises(Cancelled):
        run_here("train", {}, {"train": handler}, quiet)
    job = row(1)
    assert (job.state, job.attempts, job.progress, job.finished_at) == ("queued", 2, {}, None)


@pytest.mark.parametrize(
    "change",
    [{"attempts": 2}, {"state": "cancelled"}, {"cancel_requested": True}],
    ids=["given to another", "ended", "to be cancelled"],
)
def test_a_process_that_was_taken_for_dead_or_is_to_stop_stores_no_result(change):
    job_id = enqueue("train", {})
    set_row(job_id, state="running")
    with write(Right.SYSTEM) as session:
        Monitor(job_id).hold(session)
    set_row(job_id, **change)
    with write(Right.SYSTEM) as session, pytest.raises(Cancelled):
        Monitor(job_id).hold(session)


def test_a_working_process_gives_signs_of_life(monkeypatch):
    monkeypatch.setattr(annotate.jobs.lifecycle, "BEAT_SECONDS", 0.01)
    beats: list[str] = []

    def handler(payload, monitor):
        def beaten_four_times() -> bool:
            beats.append(row(monitor.job_id).heartbeat_at)
            return len(set(beats)) >= 4

        wait_until(beaten_four_times)
        return {}

    run_here("train", {}, {"train": handler}, quiet)
    assert beats == sorted(beats)
    last = row(1).heartbeat_at
    time.sleep(0.05)
    assert row(1).heartbeat_at == last


def test_a_process_that_reports_nothing_is_stopped_and_its_job_fails(clock, started):
    process = sleeper()
    job_id = enqueue("train", {})
    set_row(job_id, state="running", reported_at="now", **job_process.identity(process.pid))
    reap()
    clock[0] += 600
    reap()
    assert row(job_id).state == "running"
    clock[0] += 1
    set_row(job_id, heartbeat_at="later")  # it lives, but its work does not go on
    reap()
    assert not psutil.pid_exists(process.pid)
    process.wait()
    assert (row(job_id).state, started) == ("failed", [])
    assert row(job_id).error == "it made no progress for 10 minutes and was stopped"


def test_what_a_killed_process_had_started_is_killed_too(started):
    job_id = enqueue("simulate", {})
    helper = sleeper(env={**os.environ, job_process.MARK: job_process.mark(job_id, 1)}, start_new_session=True)
    other = sleeper(env={**os.environ, job_process.MARK: job_process.mark(job_id, 2)})
    set_row(job_id, state="running", host=job_process.HOST, pid=2**22 + 1, process_started=1.0)
    reap()
    assert not psutil.pid_exists(helper.pid)  # it would have slept for ten minutes; reap() also collected its end
    assert other.poll() is None and started == [(job_id, 2)]
    for process in (helper, other):
        process.kill()
        process.wait()


def test_a_job_keeps_who_asked_for_it_through_its_attempts(started):
    with acting(Actor("Anna", operator=True)):
        job_id = dead_job()
    reap()
    assert row(job_id).asked_by == "Anna" and started


def test_what_a_job_keeps_on_disk_goes_with_its_end(started):
    uploads = folder("uploads") / "abc"
    uploads.mkdir()

    def handler(payload, monitor):
        scratch(monitor.job_id).mkdir()
        assert uploads.exists()
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        run_here("import", {"names": {str(uploads / "0.xml"): "a.xml"}}, {"import": handler}, quiet)
    assert not uploads.exists() and not scratch(1).exists()
    for cancelled in (False, True):
        job_id = dead_job(attempts=annotate.jobs.lifecycle.ATTEMPTS - 1)
        scratch(job_id).mkdir()
        reap()
        assert scratch(job_id).exists()  # its next attempt may go on from it
        if cancelled:
            cancel(job_id)
        else:
            set_row(job_id, state="running", host=job_process.HOST, pid=2**22 + 1, process_started=1.0)
            reap()
        assert row(job_id).state == ("cancelled" if cancelled else "failed") and not scratch(job_id).exists()


def test_what_was_left_on_disk_by_ended_jobs_is_tidied_up(started):
    active = dead_job()
    for job_id in (active, 99):
        scratch(job_id).mkdir()
    look_after()
    assert scratch(active).exists() and not scratch(99).exists()


def test_uploads_that_no_job_has_read_are_removed_a_day_later(started):
    for name in ("read", "left", "new"):
        (folder("uploads") / name).mkdir()
    names = {str(folder("uploads") / "read" / "0.xml"): "a.xml"}
    enqueue("import", {"paths": [*names], "names": names})
    for name in ("read", "left"):
        os.utime(folder("uploads") / name, (0, 0))
    look_after()
    assert sorted(path.name for path in folder("uploads").iterdir()) == ["new", "read"]


def test_an_import_that_is_killed_leaves_whole_articles_and_is_done_by_its_next_attempt(tmp_path):
    articles = folder("uploads") / "abc"
    articles.mkdir()
    names = {}
    for number in range(1000):
        path = articles / f"{number:05}.txt"
        path.write_text(f"Title {number}\n\nHere we deleted gene {number}. The assay was measured.\n")
        names[str(path)] = f"{number}.txt"
    job_id = start("import", {"paths": [*names], "names": names})
    wait_until(lambda: query("SELECT count(*) FROM article") != [(0,)])
    os.kill(row(job_id).pid, signal.SIGKILL)
    ((stored, counted),) = query("SELECT count(*), sum(sentence_count) FROM article")
    assert 0 < stored < 1000 and query("SELECT count(*) FROM sentence") == [(counted,)]
    job = ended(job_id, 60)
    assert (job.state, job.attempts, job.error) == ("done", 2, None), log_tail(job_id)
    assert job.result["counts"]["already there"] == stored and job.result["counts"]["stored"] == 1000 - stored
    assert query("SELECT count(*), count(DISTINCT key) FROM article") == [(1000, 1000)]
    wait_until(lambda: not articles.exists())  # removed by the process right after the job has ended
    assert store(paper(pmid="1")).counts["stored"] == 1


def test_a_process_that_does_not_hear_the_wish_to_cancel_is_killed(clock):
    process = sleeper()
    job_id = enqueue("train", {})
    set_row(job_id, state="running", **job_process.identity(process.pid))
    reap()
    clock[0] += annotate.jobs.lifecycle.DEAF_SECONDS + 1
    reap()
    assert row(job_id).state == "running"  # silent, but nobody wants it to stop
    cancel(job_id)
    reap()
    assert row(job_id).state == "cancelled"
    assert not psutil.pid_exists(process.pid)  # it would have slept for ten minutes; reap() also collected its end
    process.wait()


def test_a_process_in_whose_own_thread_the_jobs_are_looked_after_is_not_killed_by_itself(clock):
    job_id = enqueue("train", {})
    set_row(job_id, state="running", **job_process.identity(os.getpid()))
    reap()
    clock[0] += annotate.jobs.lifecycle.STALL_SECONDS + 1
    reap()
    assert row(job_id).state == "failed"
