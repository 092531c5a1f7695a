"""Job rows: the message between a page and the process that does the work."""

import math
import re
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from db.base import changed_rows, tuples, utc_now
from db.tables import Job
from db.values import JobState

ACTIVE = (JobState.QUEUED, JobState.RUNNING)
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")


def insert_job(session: Session, kind: str, payload: dict[str, Any], asked_by: str | None = None) -> int | None:
    """The id of a new queued job at its first attempt; None where one of this kind is queued or running already.

    What the payload holds under "event" is the id under which `of_event` finds it.
    """
    job = Job(
        kind=kind,
        state=JobState.QUEUED,
        payload=payload,
        progress={},
        result={},
        cancel_requested=False,
        attempts=1,
        asked_by=asked_by,
        event_id=payload.get("event"),
    )
    try:
        with session.begin_nested():
            session.add(job)
    except IntegrityError:  # the partial unique index uq_job_active refuses a second one
        return None
    return job.id


def latest_automatic(session: Session, kind: str) -> Job | None:
    """The newest job of a kind that began by itself: its payload says why, under "automatic"."""
    automatic = Job.payload["automatic"].as_string().is_not(None)
    return session.scalars(select(Job).where(Job.kind == kind, automatic).order_by(Job.id.desc()).limit(1)).first()


def payloads_with(
    session: Session, kind: str, name: str, value: str
) -> Sequence[tuple[dict[str, Any], str, str | None]]:
    """Payloads of a kind of job that have this text under a name, oldest first, with states and times of the end."""
    matches = Job.payload[name].as_string() == value
    query = select(Job.payload, Job.state, Job.finished_at).where(Job.kind == kind, matches).order_by(Job.id)
    return tuples(session.execute(query))


def active(session: Session) -> Sequence[Job]:
    """Jobs that are queued or running."""
    return session.scalars(select(Job).where(Job.state.in_(ACTIVE)).order_by(Job.id)).all()


def of_kinds(session: Session, kinds: Collection[str], *, before: int | None, limit: int) -> Sequence[Job]:
    """The newest jobs of these kinds, the newest first; those before the one with this id, where it is given."""
    query = select(Job).where(Job.kind.in_(kinds)).order_by(Job.id.desc()).limit(limit)
    return session.scalars(query if before is None else query.where(Job.id < before)).all()


def of_event(session: Session, event_id: str) -> Job | None:
    """The first job that was asked for under this id."""
    found = session.scalars(select(Job).where(Job.event_id == event_id))
    return min(found, key=lambda job: job.id, default=None)


def change(
    session: Session, job_id: int, *, from_states: Sequence[str], attempt: int | None = None, **values: Any
) -> bool:
    """Sets values on a job that is in one of these states, and at this attempt where one is named; says whether it was.

    A process that lost its job to another one names an attempt that is over, and so changes nothing. NUL and halves of
    surrogate pairs are written as escapes, and NaN and infinity as null: a job must be able to end with any error.
    """
    values = _storable(values)
    statement = update(Job).where(Job.id == job_id, Job.state.in_(from_states))
    if attempt is not None:
        statement = statement.where(Job.attempts == attempt)
    return changed_rows(session, statement.values(**values)) == 1


def cancel_waiting(session: Session, asked_by: str) -> None:
    """Ends the jobs that somebody asked for and that have not begun."""
    values = {"state": JobState.CANCELLED, "finished_at": utc_now()}
    session.execute(update(Job).where(Job.asked_by == asked_by, Job.state == JobState.QUEUED).values(**values))


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return _NO_CHARACTER.sub(lambda found: f"\\u{ord(found[0]):04x}", value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {_storable(key): _storable(one) for key, one in value.items()}
    return [_storable(one) for one in value] if isinstance(value, list | tuple) else value


def goes_on(session: Session, job_id: int, attempt: int) -> bool:
    """Whether a job runs at this attempt and was not asked to stop; does not read its payload."""
    query = select(Job.id).where(Job.id == job_id, Job.state == JobState.RUNNING, Job.attempts == attempt)
    return session.scalar(query.where(~Job.cancel_requested)) is not None


def begin_again(session: Session, job_id: int, *, attempt: int) -> bool:
    """Queues an active job for its next attempt, unless somebody has done so already; says whether it did."""
    nobody: dict[str, Any] = {"host": None, "pid": None, "process_started": None, "heartbeat_at": None}
    values = {"state": JobState.QUEUED, "attempts": attempt + 1, **nobody}
    return change(session, job_id, from_states=ACTIVE, attempt=attempt, **values)


def finish(
    session: Session,
    job_id: int,
    state: str,
    *,
    error: str | None = None,
    attempt: int | None = None,
    **values: Any,
) -> bool:
    """Ends an active job as done, failed or cancelled, at this attempt where one is named; says whether it did."""
    values |= {"state": state, "error": error, "finished_at": utc_now()}
    return change(session, job_id, from_states=ACTIVE, attempt=attempt, **values)
