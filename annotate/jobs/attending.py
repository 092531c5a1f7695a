"""Watching a job that another process works on, until it ends."""

import json
import time
from collections.abc import Callable
from typing import Any

import db.jobs
import db.rows
from annotate.jobs.lifecycle import reap
from annotate.jobs.monitor import Cancelled
from annotate.project.home import read
from db.tables import Job
from db.values import JobState

LOOK_EVERY_SECONDS = 0.5


def same_work(kind: str, payload: dict[str, Any]) -> int | None:
    """The id of the queued or running job of this kind that was asked for the same; None where there is none."""
    asked = json.loads(json.dumps(payload))  # as the row holds it
    with read() as session:
        active = db.jobs.active(session)
    return next((job.id for job in active if job.kind == kind and job.payload == asked), None)


def attend(job_id: int, show: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Shows how far a job is until it ends; returns its result. Looks after it meanwhile, as an app would.

    Raises Cancelled where it was cancelled, and RuntimeError with its error where it failed. A person who stops
    watching leaves the job alone.
    """
    shown: dict[str, Any] = {}
    while True:
        reap()
        with read() as session:
            job = db.rows.get(session, Job, job_id)
        assert job is not None  # rows of jobs are never removed
        if job.progress and job.progress != shown:
            shown = job.progress
            show(shown)
        if job.state == JobState.DONE:
            return job.result
        if job.state == JobState.CANCELLED:
            raise Cancelled
        if job.state == JobState.FAILED:
            raise RuntimeError(job.error)
        time.sleep(LOOK_EVERY_SECONDS)
