"""Jobs: long work in a process of its own, whose row tells everybody how far it is and what went wrong.

The row is the truth. A process holds its job as long as it lives. Where that cannot be seen, its sign of life must
change at least once a lease. A job whose process died is begun again, and goes on where its kind of work can.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy.orm import Session

import db.jobs
import db.rows
from annotate.jobs import job_process
from annotate.jobs.kinds import KINDS, STALL_SECONDS, title_of
from annotate.jobs.monitor import Cancelled, Handler, Monitor
from annotate.jobs.repeating import repeating
from annotate.project import logs
from annotate.project.acting import Actor, Auth, Forbidden, acting, allowed, auth, current_actor, demand
from annotate.project.files.characters import check_characters
from annotate.project.home import folder, home, read, write
from annotate.project.release import ROOT
from annotate.project.rights import Right, may
from annotate.team.people import by_name
from annotate.topics.project_topic import leave_out
from db.base import utc_now
from db.jobs import ACTIVE
from db.tables import Job
from db.values import JobState
from model.proposing.bounded import Place, SlowPattern

T = TypeVar("T")
WORKER = (sys.executable, "-m", "annotate", "work")
# A sign of life; without a new one for the length of the lease the process is taken for dead.
BEAT_SECONDS = 10
LEASE_SECONDS = 60
# How often a job is begun before it is given up: what kills its process may be the work itself.
ATTEMPTS = 3
# Loading an encoder is the longest silence of a healthy job: ten seconds, more on a busy machine.
DEAF_SECONDS = 45
LOG_CHARACTERS = 4_000  # of the end of a log, as people see it

DIED = "the process ended without a word: it was killed, ran out of memory, or the machine stopped"

# The folders of an absolute path, where a word begins; an address such as https://host/path stays.
_FOLDERS = re.compile(r"(?<![\w:/.])(?:/[^/\s'\"]+)+/(?=[^/\s'\"]+)")

_still = job_process.Stillness()


class AlreadyRunning(RuntimeError):
    """A job of this kind is queued or running; a second one is not started."""


def log_path(job_id: int) -> Path:
    """Where a job's process writes what it prints."""
    return folder("jobs") / f"{job_id}.log"


def enqueue(kind: str, payload: dict[str, Any]) -> int:
    """A new queued job. Raises AlreadyRunning while one of this kind is queued or running, ValueError for text with
    characters that are none."""
    reap()
    check_characters(payload)  # PostgreSQL would store it, and then read no job's payload by name any more
    with write(KINDS[kind].right) as session:
        job_id = db.jobs.insert_job(session, kind, payload, current_actor().name)
    if job_id is None:
        raise AlreadyRunning(f"a job to {kind} is running already")
    return job_id


def start(kind: str, payload: dict[str, Any]) -> int:
    """Starts a job in a process that outlives this one; returns its id. Raises as `enqueue`."""
    job_id = enqueue(kind, payload)
    _start_process(job_id, attempt=1)
    return job_id


def start_if_none_runs(kind: str, payload: dict[str, Any]) -> int | None:
    """Starts a job as `start`; None where one of this kind is queued or running."""
    try:
        return start(kind, payload)
    except AlreadyRunning:
        return None


def start_after_other_work(kind: str, payload: dict[str, Any]) -> None:
    """Starts a job for what is done to go on with; one that runs already takes that, too. Where no process can begin
    that job has failed and says why: what is done stays done."""
    try:
        start_if_none_runs(kind, payload)
    except OSError as error:
        logs.warning("job not begun", kind=kind, problem=str(error))


def leave_out_and_propose(slow: SlowPattern) -> bool:
    """Leaves a pattern that searches too long out of the topic, and has all proposed without it.

    Whether the topic that holds has the pattern.
    """
    if found := leave_out(slow):
        start_after_other_work("propose", {})
    return found


@contextmanager
def _proposing_after() -> Iterator[set[Place]]:
    """Has all proposed again in the end, where a pattern was left out of the topic meanwhile, and put into the set."""
    left_out: set[Place] = set()
    try:
        yield left_out
    finally:
        if left_out:
            start_after_other_work("propose", {})


def _done_without(work: Callable[[], T], left_out: set[Place]) -> T:
    while True:
        try:
            return work()
        except SlowPattern as slow:
            if slow.place in left_out or not leave_out(slow):
                raise
            left_out.add(slow.place)


def without_slow_patterns(work: Callable[[], T]) -> T:
    """What the work returns, done again without each pattern of the topic that searches too long."""
    with _proposing_after() as left_out:
        return _done_without(work, left_out)


def _start_process(job_id: int, attempt: int) -> None:
    """Starts the process that is to claim a queued job. Where there can be none the job fails; raises OSError."""
    try:
        with log_path(job_id).open("ab") as log:
            process = subprocess.Popen(
                [*WORKER, str(job_id)],
                cwd=ROOT,
                env={**os.environ, "KEYLINE_HOME": str(home()), job_process.MARK: job_process.mark(job_id, attempt)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        _finish(job_id, attempt, JobState.FAILED, error=f"its process could not be started: {error}")
        raise
    with write(Right.SYSTEM) as session:
        db.jobs.change(
            session, job_id, from_states=(JobState.QUEUED,), attempt=attempt, **job_process.identity(process.pid)
        )


def run_here(
    kind: str, payload: dict[str, Any], handlers: dict[str, Handler], show: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Runs a job in this process, for the command line; returns its result. Raises what the work raises.

    If this process is killed, the job is begun again like any other, in a process of its own. An app or a command that
    looks after the jobs does so.
    """
    return run(enqueue(kind, payload), handlers, show)


def run(
    job_id: int, handlers: dict[str, Handler], show: Callable[[dict[str, Any]], None] = lambda progress: None
) -> dict[str, Any]:
    """Claims a queued job and does its work. The row ends as done, cancelled or failed with the error in words.

    The work is done without patterns of the topic that search too long; then all is proposed again.
    """
    with _proposing_after() as left_out:
        return _run(job_id, handlers, show, left_out)


def _run(
    job_id: int, handlers: dict[str, Handler], show: Callable[[dict[str, Any]], None], left_out: set[Place]
) -> dict[str, Any]:
    with write(Right.SYSTEM) as session:
        job = db.rows.get(session, Job, job_id)
        if job is None or job.state != JobState.QUEUED:
            raise AlreadyRunning(f"job {job_id} is not waiting to be run")
        now = utc_now()
        db.jobs.change(
            session,
            job_id,
            from_states=(JobState.QUEUED,),
            state=JobState.RUNNING,
            started_at=job.started_at or now,
            heartbeat_at=now,
            **job_process.identity(os.getpid()),
        )
    attempt = job.attempts
    logs.event("job begun", job=job_id, kind=job.kind, attempt=attempt)
    monitor = Monitor(job_id, show, attempt)
    monitor.keep(job.result)  # what earlier attempts have noted stays, however this one ends
    try:
        if job.kind not in handlers:
            raise ValueError(f"{title_of(job.kind)}: the part of Keyline that does this is switched off")
        _unless_withdrawn(job)
        if job_process.MARK in os.environ:  # this process was made for the job
            job_process.limit_memory()
        # Who asked for the job acts while it works, and needs no right but the one that was asked for.
        asker = Actor(job.asked_by, operator=True) if job.asked_by else current_actor()
        with repeating("heartbeat", BEAT_SECONDS, monitor.beat), acting(asker):
            result = _done_without(partial(handlers[job.kind], job.payload, monitor), left_out)
    except (Cancelled, KeyboardInterrupt):  # Ctrl-C of a command is a wish to stop, too
        _finish(job_id, attempt, JobState.CANCELLED, progress=monitor.progress, result=monitor.result)
        raise
    except BaseException as error:  # the row must tell of every error; the log holds the traceback
        reason = job_process.short_of_memory(error) or without_folders(str(error)) or type(error).__name__
        _finish(job_id, attempt, JobState.FAILED, error=reason, progress=monitor.progress, result=monitor.result)
        raise
    _finish(job_id, attempt, JobState.DONE, result=result, progress=monitor.progress)
    return result


def without_folders(words: str) -> str:
    """An error's words for everybody: files of this machine by their names, without the folders they lie in."""
    return _FOLDERS.sub("", words)


def _unless_withdrawn(job: Job) -> None:
    """Raises Forbidden where the person who asked for a job has lost the right since; it may have waited for days."""
    if auth() is Auth.OFF:
        return
    with read() as session:
        account = by_name(session, job.asked_by or "")  # none where Keyline or the command line asked
    if account is not None and (account.disabled or not may(account.role, KINDS[job.kind].right)):
        raise Forbidden(f"{job.asked_by}, who asked for it, may not {KINDS[job.kind].right} any more")


def _finish(job_id: int, attempt: int, state: str, **values: Any) -> bool:
    """Ends a job, unless it ended or was given to another process meanwhile; says whether it did."""
    with write(Right.SYSTEM) as session:
        ended = db.jobs.finish(session, job_id, state, attempt=attempt, **values)
        job = db.rows.get(session, Job, job_id)
    if ended and job is not None:
        logs.event("job ended", job=job_id, state=state)
        job_process.clear(job)
    return ended


def reap() -> None:
    """Looks after the jobs: those whose process died are begun again, up to ATTEMPTS times, and then fail.

    A process that does not cancel within DEAF_SECONDS of the wish, or reports nothing for STALL_SECONDS, is killed. Its
    job ends as cancelled or failed. This process measures these times by what it saw itself.
    """
    with read() as session:
        active = db.jobs.active(session)
    _still.keep({(home(), job.id, what) for job in active for what in ("beat", "report")})
    for job in active:
        beat, report = (job.attempts, job.state, job.pid, job.heartbeat_at), (job.attempts, job.state, job.reported_at)
        unheard = _still.seconds((home(), job.id, "beat"), beat)
        silent = _still.seconds((home(), job.id, "report"), report)
        ours, kind = job_process.here(job), KINDS.get(job.kind)  # none of a job of another release
        if not job_process.runs(job) if ours else unheard > LEASE_SECONDS:
            _begin_again(job)
        elif ours and job.cancel_requested and silent > DEAF_SECONDS:
            job_process.kill(job)
            _finish(job.id, job.attempts, JobState.CANCELLED)
        elif ours and silent > (most := (kind and kind.stall_seconds) or STALL_SECONDS):
            job_process.kill(job)
            _finish(
                job.id,
                job.attempts,
                JobState.FAILED,
                error=f"it made no progress for {most / 60:g} minutes and was stopped",
            )


def _begin_again(job: Job) -> None:
    """What becomes of a job whose process died."""
    job_process.kill(job)  # what it started must not go on during the next attempt
    with read() as session:
        now = db.rows.get(session, Job, job.id)
    if now is None or now.attempts != job.attempts:
        return
    if now.cancel_requested:
        _finish(job.id, job.attempts, JobState.CANCELLED)
    elif job.attempts >= ATTEMPTS:
        _finish(
            job.id, job.attempts, JobState.FAILED, error=f"given up after {job.attempts} attempts; each time {DIED}"
        )
    else:
        with write(Right.SYSTEM) as session:
            queued = db.jobs.begin_again(session, job.id, attempt=job.attempts)
        if queued:
            with suppress(OSError):  # the row says it
                _start_process(job.id, job.attempts + 1)


def look_after() -> None:
    """Looks after the jobs, and removes files of ended ones that could not be removed at their end, and uploads that no
    job has read."""
    reap()
    ids = job_process.left_over()  # before the jobs are read: one that begins meanwhile is not among them
    with read() as session:
        active = db.jobs.active(session)
    job_process.tidy(ids, active)


def may_cancel(session: Session, job: Job) -> bool:
    """Whether the current actor may cancel a job: one that they asked for, or another's by right."""
    own = bool(job.asked_by) and job.asked_by == current_actor().name
    by_kind = job.kind in KINDS and allowed(session, KINDS[job.kind].cancel_right)
    return own or by_kind or allowed(session, Right.CANCEL)


def cancel(job_id: int) -> None:
    """Asks a job to stop at its next step; one that has not begun is ended at once.

    Raises Forbidden where it is another person's and the actor has neither the right to cancel its kind nor the one
    to cancel any.
    """
    with write(Right.SYSTEM) as session:
        if (job := db.rows.get(session, Job, job_id)) is None:
            return
        if not may_cancel(session, job):
            demand(session, Right.CANCEL)
        ended = db.jobs.change(
            session, job_id, from_states=(JobState.QUEUED,), state=JobState.CANCELLED, finished_at=utc_now()
        )
        if not ended:
            db.jobs.change(session, job_id, from_states=ACTIVE, cancel_requested=True)
    if ended:
        job_process.clear(job)


def log_tail(job_id: int) -> str:
    """The end of the log of a job's process."""
    path = log_path(job_id)
    return path.read_text(errors="replace")[-LOG_CHARACTERS:] if path.exists() else ""


class OtherWork(ValueError):
    """The id was used for another job."""


def start_once(kind: str, payload: dict[str, Any], event_id: str) -> Job:
    """The job that was asked for under this id, begun where it was not yet.

    Raises AlreadyRunning where another job of the kind is queued or running, and OtherWork for an id that stands for
    another job. Raises ValueError for text with characters that are none, and Forbidden without the right.
    """
    if known := asked_for(kind, event_id):
        return known
    try:
        job_id = start(kind, payload | {"event": event_id})
    except AlreadyRunning:
        if known := asked_for(kind, event_id):  # the same question, asked at the same moment
            return known
        raise
    with read() as session:
        job = db.rows.get(session, Job, job_id)
    assert job is not None
    return job


def asked_for(kind: str, event_id: str) -> Job | None:
    """The job that the current actor asked for under this id, if they did. Raises as `start_once`."""
    with read() as session:
        demand(session, KINDS[kind].right)
        job = db.jobs.of_event(session, event_id)
    if job is not None and (job.kind, job.asked_by) != (kind, current_actor().name):
        raise OtherWork("this id was used for another job")
    return job
