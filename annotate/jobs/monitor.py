"""The worker's side of a job: it reports how far it is, and hears that it is to stop."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sqlalchemy.orm import Session

import db.jobs
import db.rows
from annotate.project.home import write
from annotate.project.rights import Right
from db.base import utc_now
from db.engine import DatabaseBusy
from db.tables import Job
from db.values import JobState

# A page polls once a second; writing the row more often would only wear the disk.
REPORT_SECONDS = 0.5


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

    def proceed(self, stage: str, done: float = 0, total: float = 0, **details: Any) -> None:
        """Says what is being done, as `report`. Raises Cancelled when somebody asked for it."""
        self.report(stage, done, total, **details)
        self.stop_if_cancelled()

    def keep(self, result: dict[str, Any]) -> None:
        """Keeps values on the job's row even if the rest of the work fails or is cancelled."""
        self.result = result

    def flush(self) -> None:
        """Writes the progress and reads whether to stop: the job was cancelled, ended, or given to another process.

        A busy database is asked again later.
        """
        self._reported = time.monotonic()
        with suppress(DatabaseBusy), write(Right.SYSTEM) as session:
            values = {"progress": self.progress, "reported_at": utc_now()}
            mine = db.jobs.change(session, self.job_id, from_states=(JobState.RUNNING,), attempt=self.attempt, **values)
            job = db.rows.get(session, Job, self.job_id)
            self._cancel = job is None or job.cancel_requested or not mine

    def beat(self) -> None:
        """Writes a sign of life. Raises as `write` where the database is busy or away."""
        with write(Right.SYSTEM) as session:
            db.jobs.change(
                session, self.job_id, from_states=(JobState.RUNNING,), attempt=self.attempt, heartbeat_at=utc_now()
            )

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
        """Raises Cancelled in a transaction that is to store a result once: where somebody asked for it, or where the
        job is not this process's any more."""
        job = db.rows.get(session, Job, self.job_id)
        if job is None or job.cancel_requested or (job.state, job.attempts) != (JobState.RUNNING, self.attempt):
            raise Cancelled


Handler = Callable[[dict[str, Any], Monitor], dict[str, Any]]
