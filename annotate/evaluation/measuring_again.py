"""Versions are measured again by themselves once labels have changed, while no person is at work and no job runs."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

import db.jobs
import db.registry
import db.review.verdicts
from annotate.evaluation.evaluate_version import NotEnoughGold, evaluated_articles
from annotate.evaluation.last_figures import last_figures
from annotate.gold.label_sets import LabelSet, labels_now
from annotate.jobs import lifecycle
from annotate.jobs.repeating import quiet_seconds
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings, settings_now
from annotate.proposing.propose import rankings_of
from db.base import stamp
from db.values import JobState, Split
from model.checked_settings import checked

# Without a click or a verdict for so long, people are taken to be elsewhere.
QUIET = timedelta(minutes=5)
# From one such evaluation to the next: each stores a row for every version, ranking and test article.
PAUSE = timedelta(hours=1)


@checked
class MeasuringSettings(StoredSettings):
    """Whether versions are measured again by themselves."""

    NAME = "measuring"
    RIGHT = Right.EVALUATE

    by_itself: bool = True


def due(now: datetime) -> dict[str, Any] | None:
    """What an evaluation that is to begin now is asked for, with the reason under "automatic"; None where none is.

    It measures on the test articles what was measured there before. Never while a job runs, within QUIET of a click or
    a verdict, or within PAUSE of the last one; after one that failed or was cancelled not before a verdict came.
    """
    if quiet_seconds() < QUIET.total_seconds():
        return None
    lifecycle.reap()
    with read() as session:
        if not settings_now(session, MeasuringSettings).by_itself or db.jobs.active(session):
            return None
        events = db.review.verdicts.last_events(session)
        if events != db.review.verdicts.last_events(session, until=stamp(now - QUIET)):
            return None  # others are at work, perhaps in another process
        if not _may_follow(session, now, events["until_verdict"]):
            return None
        return _what(session, labels_now(session), events["until_verdict"])


def _may_follow(session: Session, now: datetime, until_verdict: int) -> bool:
    """Whether the last evaluation that began by itself lets another one begin."""
    last = db.jobs.latest_automatic(session, "evaluate")
    if last is None:
        return True
    if last.state in (JobState.FAILED, JobState.CANCELLED) and last.payload["until_verdict"] == until_verdict:
        return False
    # One of the future was begun before the clock was set back.
    return not timedelta(0) <= now - datetime.fromisoformat(last.created_at) < PAUSE


def _what(session: Session, label_set: LabelSet, until_verdict: int) -> dict[str, Any] | None:
    try:
        articles = evaluated_articles(session, label_set, Split.TEST)
    except NotEnoughGold:
        return None
    serving = db.registry.encoder_in_use(session)
    versions = db.registry.encoders(session)
    asked = [
        (version, ranking)
        for version in sorted(versions, key=lambda one: serving is None or one.id != serving.id)
        for ranking in rankings_of(session, version, articles)
    ]
    found = last_figures(session, asked, Split.TEST, label_set)
    old = [figures for figures in found.values() if figures.old]
    if not old:
        return None
    return {
        "versions": list(dict.fromkeys(name for name, _ in found)),
        "rankings": list(dict.fromkeys(ranking for _, ranking in found)),
        "split": str(Split.TEST),
        "automatic": old[0].since,
        "until_verdict": until_verdict,
    }


def tick(now: datetime | None = None) -> int | None:
    """Begins an evaluation where one is due; returns the job's id, else None."""
    payload = due(now or datetime.now(UTC))
    return None if payload is None else lifecycle.start_if_none_runs("evaluate", payload)
