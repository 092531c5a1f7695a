"""Jobs that programs ask for under an id of their own, so that what was asked twice begins once."""

import json
import re
from typing import Any

import db.jobs
import db.rows
from annotate.jobs.kinds import KINDS
from annotate.jobs.lifecycle import AlreadyRunning, start
from annotate.project.acting import current_actor, demand
from annotate.project.home import read
from db.tables import Job

# The character NUL as JSON writes it, and half of a surrogate pair: PostgreSQL stores either and then reads no job's
# payload by name any more.
_NO_TEXT = re.compile(r"\\u0000|[\ud800-\udfff]")


class OtherWork(ValueError):
    """The id was used for another job."""


def start_once(kind: str, payload: dict[str, Any], event_id: str) -> Job:
    """The job that was asked for under this id, begun where it was not yet.

    Raises AlreadyRunning where another job of the kind is queued or running, OtherWork for an id that stands for
    another, ValueError for text with characters that are none, Forbidden without the right.
    """
    if _NO_TEXT.search(json.dumps(payload, ensure_ascii=False).replace("\\\\", "")):
        raise ValueError("what the job is told holds a character that is none: NUL, or half of a surrogate pair")
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
