"""Training that begins by itself, as the policy says: after a number of new verdicts, or at night."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from sqlalchemy.orm import Session

import db.jobs
import db.registry
import db.review.progress
import db.review.verdicts
from annotate.evaluation.evaluate_version import NotEnoughGold, evaluated_articles
from annotate.gold.label_sets import labels_now
from annotate.jobs import lifecycle
from annotate.project.home import read
from annotate.project.stored_settings import settings_now
from annotate.project.words import count_of
from annotate.proposing.encoder_versions import proposing_version
from annotate.retraining.advice import marks_of
from annotate.retraining.retrain_policy import RetrainPolicy, When
from annotate.retraining.setting_values import payload_of
from annotate.retraining.training_set import check_trainable, usual_settings
from db.tables import Job, ModelVersion
from db.values import JobState, Split

NIGHT = timedelta(hours=1)  # how late after its hour a nightly run may still begin


@dataclass(frozen=True, slots=True)
class Decision:
    """Why a training is to begin now, with the job's payload, or why not, without one."""

    reason: str
    payload: dict[str, Any] | None = None


def decide(now: datetime) -> Decision:
    """Whether a training is to begin at this time (with a time zone), and why; starts nothing.

    Never during another training, on the labels of the last one, or before there is gold to train and test on; after an
    automatic run that failed or was cancelled not before new verdicts came.
    """
    with read() as session:
        policy = settings_now(session, RetrainPolicy)
    if policy.when is When.CLICK:
        return Decision("training begins only by a click")
    lifecycle.reap()
    serving = proposing_version()
    with read() as session:
        if any(job.kind == "train" for job in db.jobs.active(session)):
            return Decision("a training is running")
        last = db.jobs.latest_automatic(session, "train")
        trained = db.registry.fine_tuned(session)
        known = marks_of(session, trained[-1])["until_verdict"] if trained else 0
        tried = last.payload["until_verdict"] if last else 0
        new = db.review.progress.count_verdicts(session, after=max(known, tried))
        wait = _wait(policy, now, new, last)
        return Decision(wait) if wait else _with_labels(session, policy, new, serving)


def _wait(policy: RetrainPolicy, now: datetime, new: int, last: Job | None) -> str | None:
    """What the policy waits for; None where its hour has come."""
    if policy.when is When.AFTER:
        return f"{new:,} of {policy.after_verdicts:,} new verdicts" if new < policy.after_verdicts else None
    night = night_of(now, policy.night_hour)
    if night is None:
        return f"it is not between {policy.night_hour:02}:00 and {(policy.night_hour + 1) % 24:02}:00, server's time"
    # A day's bound, so that a run that was begun under a clock set far ahead does not count for ever.
    if last is not None and night <= datetime.fromisoformat(last.created_at) < night + timedelta(days=1):
        return "tonight's run was begun already"
    if last is not None and last.state in (JobState.FAILED, JobState.CANCELLED) and not new:
        return f"the last automatic run was {last.state.replace('failed', 'a failure')}, and no verdict came since"
    return None


def night_of(now: datetime, hour: int) -> datetime | None:
    """When the night's window that `now` lies in began; None outside. The hour is the server's local time.

    An hour that the clock leaves out is the one after; of an hour that it goes through twice the first counts.
    """
    today = now.astimezone().date()
    for day in (today, today - timedelta(days=1)):
        start = datetime.fromtimestamp(datetime.combine(day, time(hour)).timestamp()).astimezone()
        if timedelta(0) <= now - start < NIGHT:
            return start
    return None


def _with_labels(session: Session, policy: RetrainPolicy, new: int, serving: ModelVersion) -> Decision:
    """The decision by the labels: the dearer half, reached only where the policy's hour has come."""
    label_set = labels_now(session)
    trained = db.registry.fine_tuned(session)
    if trained and trained[-1].trained_on["label_set_sha256"] == label_set.sha256:
        return Decision(f"no label differs from those that {trained[-1].name} was trained on")
    settings = usual_settings(session, label_set, serving)
    try:
        evaluated_articles(session, label_set, Split.TEST)
        check_trainable(session, label_set)
    except NotEnoughGold as error:
        return Decision(str(error))
    at = f" at {policy.night_hour:02}:00" if policy.when is When.NIGHT else ""
    reason = count_of(new, "new verdict") + at
    began = {"automatic": reason, "until_verdict": db.review.verdicts.last_events(session)["until_verdict"]}
    return Decision(reason, payload_of(settings, serving.name) | began)


def begin(decision: Decision) -> int | None:
    """Starts the training that was decided on; returns the job's id, None where none is due, or one runs already."""
    return None if decision.payload is None else lifecycle.start_if_none_runs("train", decision.payload)


def tick(now: datetime | None = None) -> int | None:
    """Begins a training where one is due; returns the job's id, else None."""
    return begin(decide(now or datetime.now().astimezone()))
