"""When triage learns again by itself: a job in a process of its own, after a number of articles were judged."""

from datetime import UTC, datetime, timedelta
from typing import Any

import db.active_learning.screening
import db.review.verdicts
import db.rows
from annotate.jobs import lifecycle
from annotate.jobs.monitor import Monitor
from annotate.project.home import read
from annotate.screening.fit import learn_triage
from db.tables import Job, TriageFit
from db.values import JobState

# Articles judged or read since the last fit. Ten abstracts take an expert ten minutes, a fit some seconds.
BATCH_ARTICLES = 10
RETRY = timedelta(hours=1)  # after a fit that failed or was cancelled


def is_due() -> bool:
    """Whether enough articles were judged since the last fit; the first one is the propose job's."""
    with read() as session:
        fit = db.rows.find(session, TriageFit)
        if fit is None:
            return False
        last = db.rows.find(session, Job, kind="triage")
        ended_badly = last is not None and last.state in (JobState.FAILED, JobState.CANCELLED)
        if last and ended_badly and datetime.fromisoformat(last.created_at) + RETRY > datetime.now(UTC):
            return False
        reading, removal = fit.counts["until_reading"], fit.counts.get("until_removal", 0)
        since = db.review.verdicts.touched(session, fit.until_verdict, reading, removal)
        return len(since) >= BATCH_ARTICLES


def tick() -> int | None:
    """Begins a fit where one is due; returns the job's id, else None."""
    return lifecycle.start_if_none_runs("triage", {}) if is_due() else None


def triage_articles(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Learns again which articles hold a key sentence, from all that was judged."""
    result = learn_triage(monitor.report, monitor.cancelled)
    monitor.stop_if_cancelled()
    return result
