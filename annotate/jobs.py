"""Jobs: long work in a process of its own, whose row tells everybody how far it is and what went wrong.

The row is the truth. A process holds its job as long as it lives or, where that cannot be seen, as long as its sign of
life changes at least once a lease. A job whose process died is begun again, and goes on where its kind of work can.
"""

import contextvars
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.jobs
from annotate import logs, scratch, worker
from annotate.acting import Auth, Forbidden, auth, current_actor, demand
from annotate.home import folder, home, read, write
from annotate.people import by_name
from annotate.rights import JOBS, Right, may
from db.base import utc_now
from db.engine import DATABASE_ERRORS, DatabaseBusy
from db.jobs import ACTIVE
from db.tables import Job

ROOT = Path(__file__).parent.parent
WORKER = (sys.executable, "-m", "annotate", "work")
# A page polls once a second; writing the row more often would only wear the disk.
REPORT_SECONDS = 0.5
# A sign of life; without a new one for the length of the lease the process is taken for dead.
BEAT_SECONDS = 10
LEASE_SECONDS = 60
# How often a job is begun before it is given up: what kills its process may be the work itself.
ATTEMPTS = 3
# Loading an encoder is the longest silence of a healthy job: ten seconds, more on a busy machine.
DEAF_SECONDS = 45
# A job that has reported nothing for so long hangs. Adding an encoder may wait for a download that tells nothing.
STALL_SECONDS = 600
STALL_SECONDS_OF = {"encoder": 3600}

DIED = "the process ended without a word: it was killed, ran out of memory, or the machine stopped"

_still = worker.Stillness()


class AlreadyRunning(RuntimeError):
    """A job of this kind is queued or running; a second one is not started."""


class Cancelled(Exception):
    """The work stopped because somebody asked for it."""


class Monitor:
    """The worker's side of a job row: reports progress now and then, and hears of a cancel request."""

    def __init__(
        self,
        job_id: int,
        show: Callable[[dict[str, Any]], None] = lambda progress: None,
        attempt: int = 1,
    ) -> None:
        self.job_id = job_id
        self.show = show
        self.attempt = attempt
        self.progress: dict[str, Any] = {}
        self.result: dict[str, Any] = {}
        self._reported = 0.0
        self._cancel = False

    def report(self, stage: str, done: float = 0, total: float = 0, **details: Any) -> None:
        """Says what is being done and how far it is; written at most every REPORT_SECONDS or at a new stage."""
        new_stage = stage != self.progress.get("stage")
        self.progress = {"stage": stage, "done": done, "total": total, **details}
        self.show(self.progress)
        if new_stage or time.monotonic() - self._reported >= REPORT_SECONDS:
            self.flush()

    def keep(self, result: dict[str, Any]) -> None:
        """What is to stand on the row even if the rest of the work fails or is cancelled."""
        self.result = result

    def flush(self) -> None:
        """Writes the progress and reads whether to stop: the job was cancelled, ended, or given to another process.

        A busy database is asked again later.
        """
        self._reported = time.monotonic()
        with suppress(DatabaseBusy), write(Right.SYSTEM) as session:
            values = {"progress": self.progress, "reported_at": utc_now()}
            mine = db.jobs.change(session, self.job_id, from_states=("running",), attempt=self.attempt, **values)
            job = db.jobs.job(session, self.job_id)
            self._cancel = job is None or job.cancel_requested or not mine

    def cancelled(self) -> bool:
        """Whether to stop; asks the row as often as it reports."""
        if time.monotonic() - self._reported >= REPORT_SECONDS:
            self.flush()
        return self._cancel

    def stop_if_cancelled(self) -> None:
        """Raises Cancelled when somebody asked for it."""
        if self.cancelled():
            raise Cancelled

    def hold(self, session: Session) -> None:
        """Raises Cancelled in a transaction that is to store a result once, unless the job is still this process's."""
        job = db.jobs.job(session, self.job_id)
        if job is None or (job.state, job.attempts) != ("running", self.attempt):
            raise Cancelled


Handler = Callable[[dict[str, Any], Monitor], dict[str, Any]]


def log_path(job_id: int) -> Path:
    """Where a job's process writes what it prints."""
    return folder("jobs") / f"{job_id}.log"


def enqueue(kind: str, payload: dict[str, Any]) -> int:
    """A new queued job. Raises AlreadyRunning while one of this kind is queued or running."""
    reap()
    json.dumps(payload)
    with write(JOBS[kind]) as session:
        job_id = db.jobs.insert_job(session, kind, payload, current_actor().name)
    if job_id is None:
        raise AlreadyRunning(f"a job to {kind} is running already")
    return job_id


def start(kind: str, payload: dict[str, Any]) -> int:
    """Starts a job in a process that outlives this one; returns its id. Raises AlreadyRunning."""
    job_id = enqueue(kind, payload)
    _start_process(job_id, attempt=1)
    return job_id


def _start_process(job_id: int, attempt: int) -> None:
    """Starts the process that is to claim a queued job. Where there can be none the job fails; raises OSError."""
    try:
        with log_path(job_id).open("ab") as log:
            process = subprocess.Popen(
                [*WORKER, str(job_id)],
                cwd=ROOT,
                env={**os.environ, "KEYLINE_HOME": str(home()), worker.MARK: worker.mark(job_id, attempt)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        _finish(job_id, attempt, "failed", error=f"its process could not be started: {error}")
        raise
    with write(Right.SYSTEM) as session:
        db.jobs.change(session, job_id, from_states=("queued",), attempt=attempt, **worker.identity(process.pid))


def run_here(
    kind: str, payload: dict[str, Any], handlers: dict[str, Handler], show: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Runs a job in this process, for the command line; returns its result. Raises what the work raises.

    Where this process is killed the job is begun again like any other, in a process of its own, once an app or a
    command looks after the jobs.
    """
    return run(enqueue(kind, payload), handlers, show)


def run(
    job_id: int, handlers: dict[str, Handler], show: Callable[[dict[str, Any]], None] = lambda progress: None
) -> dict[str, Any]:
    """Claims a queued job and does its work. The row ends as done, cancelled or failed with the error in words."""
    with write(Right.SYSTEM) as session:
        job = db.jobs.job(session, job_id)
        if job is None or job.state != "queued":
            raise AlreadyRunning(f"job {job_id} is not waiting to be run")
        now = utc_now()
        values = {"state": "running", "started_at": job.started_at or now, "heartbeat_at": now}
        db.jobs.change(session, job_id, from_states=("queued",), **values, **worker.identity(os.getpid()))
    attempt = job.attempts
    logs.event("job begun", job=job_id, kind=job.kind, attempt=attempt)
    monitor = Monitor(job_id, show, attempt)
    try:
        _unless_withdrawn(job)
        if worker.MARK in os.environ:  # this process was made for the job
            worker.limit_memory()
        with _beating(job_id, attempt):
            result = handlers[job.kind](job.payload, monitor)
    except Cancelled:
        _finish(job_id, attempt, "cancelled", progress=monitor.progress, result=monitor.result)
        raise
    except BaseException as error:  # the row must say what went wrong, whatever it was; the log holds the traceback
        reason = worker.short_of_memory(error) or str(error) or type(error).__name__
        _finish(job_id, attempt, "failed", error=reason, progress=monitor.progress, result=monitor.result)
        raise
    _finish(job_id, attempt, "done", result=result, progress=monitor.progress)
    return result


def _unless_withdrawn(job: Job) -> None:
    """Raises Forbidden where whoever asked for a job has lost the right to it since; it may have waited for days."""
    if auth() is Auth.OFF:
        return
    with read() as session:
        account = by_name(session, job.asked_by or "")  # none where Keyline or the command line asked
    if account is not None and (account.disabled or not may(account.role, JOBS[job.kind])):
        raise Forbidden(f"{job.asked_by}, who asked for it, may not {JOBS[job.kind]} any more")


@contextmanager
def _beating(job_id: int, attempt: int) -> Iterator[None]:
    """A thread that writes a sign of life every BEAT_SECONDS, as whoever acts here, as long as the block lasts."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(BEAT_SECONDS):
            # A database that is busy, or away, is asked again at the next beat.
            with suppress(*DATABASE_ERRORS), write(Right.SYSTEM) as session:
                db.jobs.change(session, job_id, from_states=("running",), attempt=attempt, heartbeat_at=utc_now())

    thread = threading.Thread(target=contextvars.copy_context().run, args=(beat,), name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _finish(job_id: int, attempt: int, state: str, **values: Any) -> bool:
    """Ends a job, unless it ended or was given to another process meanwhile; says whether it did."""
    with write(Right.SYSTEM) as session:
        ended = db.jobs.finish(session, job_id, state, attempt=attempt, **values)
        job = db.jobs.job(session, job_id)
    if ended and job is not None:
        logs.event("job ended", job=job_id, state=state)
        scratch.clear(job)
    return ended


def reap() -> None:
    """Looks after the jobs: those whose process died are begun again, up to ATTEMPTS times, and then fail.

    A process that does not hear the wish to cancel within DEAF_SECONDS, or reports nothing for STALL_SECONDS, is
    killed, and its job ends as cancelled or failed. How long anything has lasted is what this process saw itself.
    """
    with read() as session:
        active = db.jobs.active(session)
    _still.keep({(home(), job.id, what) for job in active for what in ("beat", "report")})
    for job in active:
        beat, report = (job.attempts, job.state, job.pid, job.heartbeat_at), (job.attempts, job.state, job.reported_at)
        unheard = _still.seconds((home(), job.id, "beat"), beat)
        silent = _still.seconds((home(), job.id, "report"), report)
        ours = worker.here(job)
        if not worker.runs(job) if ours else unheard > LEASE_SECONDS:
            _begin_again(job)
        elif ours and job.cancel_requested and silent > DEAF_SECONDS:
            worker.kill(job)
            _finish(job.id, job.attempts, "cancelled")
        elif ours and silent > (most := STALL_SECONDS_OF.get(job.kind, STALL_SECONDS)):
            worker.kill(job)
            _finish(
                job.id, job.attempts, "failed", error=f"it made no progress for {most / 60:g} minutes and was stopped"
            )


def _begin_again(job: Job) -> None:
    """What becomes of a job whose process died."""
    worker.kill(job)  # what it started must not go on beside the next attempt
    with read() as session:
        now = db.jobs.job(session, job.id)
    if now is None or now.attempts != job.attempts:
        return
    if now.cancel_requested:
        _finish(job.id, job.attempts, "cancelled")
    elif job.attempts >= ATTEMPTS:
        _finish(job.id, job.attempts, "failed", error=f"given up after {job.attempts} attempts; each time {DIED}")
    else:
        with write(Right.SYSTEM) as session:
            begun = db.jobs.begin_again(session, job.id, attempt=job.attempts)
        if begun:
            with suppress(OSError):  # the row says it
                _start_process(job.id, job.attempts + 1)


def tidy() -> None:
    """Removes what jobs kept on disk that ended while nobody could remove it."""
    ids = scratch.left_over()  # before the jobs are read: one that begins meanwhile is not among them
    with read() as session:
        active = [job.id for job in db.jobs.active(session)]
    scratch.tidy(ids, active)


def cancel(job_id: int) -> None:
    """Asks a job to stop at its next step; one that has not begun is ended at once. Needs the right to start it."""
    with write(Right.SYSTEM) as session:
        if (job := db.jobs.job(session, job_id)) is None:
            return
        demand(session, JOBS[job.kind])
        ended = db.jobs.change(session, job_id, from_states=("queued",), state="cancelled", finished_at=utc_now())
        if not ended:
            db.jobs.change(session, job_id, from_states=ACTIVE, cancel_requested=True)
    if ended:
        scratch.clear(job)


def log_tail(job_id: int, characters: int = 4_000) -> str:
    """The end of what a job's process printed."""
    path = log_path(job_id)
    return path.read_text(errors="replace")[-characters:] if path.exists() else ""
