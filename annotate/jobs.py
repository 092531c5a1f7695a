"""Jobs: long work in a process of its own, whose row tells everybody how far it is and what went wrong."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

import db.jobs
from annotate.home import folder, read, write
from db.base import utc_now
from db.engine import DatabaseBusy
from db.jobs import ACTIVE
from db.tables import Job

ROOT = Path(__file__).parent.parent
# A page polls once a second; writing the row more often would only wear the disk.
REPORT_SECONDS = 0.5
# A process that has not claimed its job by then will not: starting Python takes a second.
START_SECONDS = 60
# Loading an encoder is the longest silence of a healthy job: ten seconds, more on a busy machine.
DEAF_SECONDS = 45
# A process's start is told by a clock that may be set; a pid is not used again for the same purpose so soon.
CLOCK_STEP_SECONDS = 120


class AlreadyRunning(RuntimeError):
    """A job of this kind is queued or running; a second one is not started."""


class Cancelled(Exception):
    """The work stopped because somebody asked for it."""


class Monitor:
    """The worker's side of a job row: reports progress now and then, and hears of a cancel request."""

    def __init__(self, job_id: int, show: Callable[[dict[str, Any]], None] = lambda progress: None) -> None:
        self.job_id = job_id
        self.show = show
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
        """Writes the progress and reads whether the job was cancelled; a busy database is asked again later."""
        self._reported = time.monotonic()
        with suppress(DatabaseBusy), write() as session:
            values = {"progress": self.progress, "reported_at": utc_now()}
            db.jobs.change(session, self.job_id, from_states=("running",), **values)
            job = db.jobs.job(session, self.job_id)
            self._cancel = job is None or job.cancel_requested or job.state != "running"

    def cancelled(self) -> bool:
        """Whether to stop; asks the row as often as it reports."""
        if time.monotonic() - self._reported >= REPORT_SECONDS:
            self.flush()
        return self._cancel

    def stop_if_cancelled(self) -> None:
        """Raises Cancelled when somebody asked for it."""
        if self.cancelled():
            raise Cancelled


Handler = Callable[[dict[str, Any], Monitor], dict[str, Any]]


def log_path(job_id: int) -> Path:
    """Where a job's process writes what it prints."""
    return folder("jobs") / f"{job_id}.log"


def enqueue(kind: str, payload: dict[str, Any]) -> int:
    """A new queued job. Raises AlreadyRunning while one of this kind is queued or running."""
    reap()
    json.dumps(payload)
    with write() as session:
        job_id = db.jobs.insert_job(session, kind, payload)
    if job_id is None:
        raise AlreadyRunning(f"a job to {kind} is running already")
    return job_id


def start(kind: str, payload: dict[str, Any]) -> int:
    """Starts a job in a process that outlives this one; returns its id. Raises AlreadyRunning."""
    job_id = enqueue(kind, payload)
    with log_path(job_id).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "annotate", "work", str(job_id)],
            cwd=ROOT,
            env={**os.environ, "KEYLINE_HOME": str(folder("."))},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    with write() as session:
        db.jobs.change(session, job_id, from_states=("queued",), **_identity(process.pid))
    return job_id


def run_here(
    kind: str, payload: dict[str, Any], handlers: dict[str, Handler], show: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Runs a job in this process, for the command line; returns its result. Raises what the work raises."""
    return run(enqueue(kind, payload), handlers, show)


def run(
    job_id: int, handlers: dict[str, Handler], show: Callable[[dict[str, Any]], None] = lambda progress: None
) -> dict[str, Any]:
    """Claims a queued job and does its work. The row ends as done, cancelled or failed with the error in words."""
    with write() as session:
        claimed = db.jobs.change(
            session, job_id, from_states=("queued",), state="running", started_at=utc_now(), **_identity(os.getpid())
        )
        job = db.jobs.job(session, job_id)
    if job is None or not claimed:
        raise AlreadyRunning(f"job {job_id} is not waiting to be run")
    monitor = Monitor(job_id, show)
    try:
        result = handlers[job.kind](job.payload, monitor)
    except Cancelled:
        _finish(job_id, "cancelled", progress=monitor.progress, result=monitor.result)
        raise
    except BaseException as error:  # the row must say what went wrong, whatever it was; the log holds the traceback
        reason = str(error) or type(error).__name__
        _finish(job_id, "failed", error=reason, progress=monitor.progress, result=monitor.result)
        raise
    _finish(job_id, "done", result=result, progress=monitor.progress)
    return result


def _finish(job_id: int, state: str, **values: Any) -> None:
    with write() as session:
        db.jobs.finish(session, job_id, state, **values)


def _identity(pid: int) -> dict[str, Any]:
    try:
        return {"pid": pid, "process_started": psutil.Process(pid).create_time()}
    except psutil.NoSuchProcess:
        return {"pid": pid, "process_started": None}


def is_alive(job: Job) -> bool:
    """Whether the job's own process still runs: a pid alone may belong to another one by now."""
    if job.pid is None:
        age = datetime.now(UTC) - datetime.fromisoformat(job.created_at)
        return age.total_seconds() < START_SECONDS
    try:
        process = psutil.Process(job.pid)
        started = job.process_started
        same = started is None or abs(process.create_time() - started) < CLOCK_STEP_SECONDS
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def reap() -> None:
    """Ends the rows of jobs whose process is gone: killed, out of memory, or the machine was switched off.

    A process that does not hear the wish to cancel within DEAF_SECONDS is killed first.
    """
    with read() as session:
        active = db.jobs.active(session)
    for job in active:
        if job.cancel_requested and job.pid and _silent_seconds(job) > DEAF_SECONDS and is_alive(job):
            with suppress(psutil.Error):
                process = psutil.Process(job.pid)
                process.kill()
                process.wait(timeout=5)
    gone = [job.id for job in active if not is_alive(job)]
    for job_id in gone:
        with write() as session:
            job = db.jobs.job(session, job_id)
            if job is not None and not is_alive(job):
                state = "cancelled" if job.cancel_requested else "failed"
                error = "the process ended without a word: it was killed, ran out of memory, or the machine stopped"
                db.jobs.finish(session, job_id, state, error=None if state == "cancelled" else error)


def _silent_seconds(job: Job) -> float:
    last = datetime.fromisoformat(job.reported_at or job.started_at or job.created_at)
    return (datetime.now(UTC) - last).total_seconds()


def cancel(job_id: int) -> None:
    """Asks a job to stop at its next step; one that has not begun is ended at once."""
    with write() as session:
        if not db.jobs.change(session, job_id, from_states=("queued",), state="cancelled", finished_at=utc_now()):
            db.jobs.change(session, job_id, from_states=ACTIVE, cancel_requested=True)


def log_tail(job_id: int, characters: int = 4_000) -> str:
    """The end of what a job's process printed."""
    path = log_path(job_id)
    return path.read_text(errors="replace")[-characters:] if path.exists() else ""
