"""Job rows: the message between a page and the process that does the work."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from db.base import utc_now
from db.tables import Job

ACTIVE = ("queued", "running")


def insert_job(session: Session, kind: str, payload: dict[str, Any]) -> int | None:
    """The id of a new queued job; None where one of this kind is queued or running already."""
    job = Job(
        kind=kind,
        state="queued",
        payload=payload,
        progress={},
        result={},
        cancel_requested=False,
    )
    try:
        with session.begin_nested():
            session.add(job)
    except IntegrityError:  # the partial unique index uq_job_active refuses a second one
        return None
    return job.id


def job(session: Session, job_id: int) -> Job | None:
    """The job with this id."""
    return session.get(Job, job_id)


def latest(session: Session, kind: str) -> Job | None:
    """The newest job of a kind."""
    return session.scalars(select(Job).where(Job.kind == kind).order_by(Job.id.desc()).limit(1)).first()


def latest_automatic(session: Session) -> Job | None:
    """The newest job that nobody clicked for: its payload says why it was begun, under "automatic"."""
    begun = Job.payload["automatic"].as_string().is_not(None)
    return session.scalars(select(Job).where(begun).order_by(Job.id.desc()).limit(1)).first()


def active(session: Session) -> Sequence[Job]:
    """Jobs that are queued or running."""
    return session.scalars(select(Job).where(Job.state.in_(ACTIVE)).order_by(Job.id)).all()


def recent(session: Session, *, limit: int) -> Sequence[Job]:
    """The newest jobs first."""
    return session.scalars(select(Job).order_by(Job.id.desc()).limit(limit)).all()


def change(session: Session, job_id: int, *, from_states: Sequence[str], **values: Any) -> bool:
    """Sets values on a job that is in one of these states; says whether it was."""
    changed = session.execute(update(Job).where(Job.id == job_id, Job.state.in_(from_states)).values(**values))
    return changed.rowcount == 1  # type: ignore[attr-defined]


def finish(session: Session, job_id: int, state: str, *, error: str | None = None, **values: Any) -> bool:
    """Ends an active job as done, failed or cancelled."""
    return change(session, job_id, from_states=ACTIVE, state=state, error=error, finished_at=utc_now(), **values)
