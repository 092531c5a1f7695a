"""Watching a job that another process works on, until it ends; how far it is, as a bar on the command line."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from tqdm import tqdm

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


# The details of a job's progress that a bar shows, in addition to the share done.
DETAILS = ("loss", "pairs_per_second", "seconds_left")


class Bar:
    """A progress bar on standard error that follows a job's stages."""

    def __init__(self) -> None:
        self.stage = ""
        self.bar: tqdm[Any] | None = None

    def __call__(self, progress: dict[str, Any]) -> None:
        """Shows one report of a job."""
        if progress["stage"] != self.stage:
            self.close()
            self.stage = progress["stage"]
            self.bar = tqdm(desc=self.stage, total=progress["total"] or None, file=sys.stderr, leave=True)
        if self.bar is not None:
            self.bar.total = progress["total"] or None
            details = {name: value for name, value in progress.items() if name in DETAILS}
            if details:
                self.bar.set_postfix(details, refresh=False)
            self.bar.update(progress["done"] - self.bar.n)

    def close(self) -> None:
        """Ends the bar."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None


@contextmanager
def showing() -> Iterator[Callable[[str, int, int], None]]:
    """For work that tells (stage, done, total): what it tells them to, with a bar that ends with the work."""
    with closing(Bar()) as bar:
        yield lambda stage, done, total: bar({"stage": stage, "done": done, "total": total})
