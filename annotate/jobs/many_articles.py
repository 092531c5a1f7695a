"""One action on very many articles, as a job. Each batch is stored in one transaction with how far the job is. A job
that is begun again goes on behind that place, so nothing is done or noted twice."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

import db.jobs
import db.rows
from annotate.articles.document_labels import Labels, parse_labels, write_names
from annotate.curation.assigning import assign, unassign
from annotate.curation.outcome import Kept, Outcome, unwatched
from annotate.curation.removal import remove, take_back
from annotate.curation.tags import add_labels, put_on, take_off
from annotate.jobs.monitor import Cancelled, Handler, Monitor
from annotate.project.home import read
from annotate.topics.label_columns import labels_by_kind
from annotate.topics.project_topic import current_topic
from db.base import utc_now
from db.tables import Job
from db.values import JobState

# Fewer articles are done while the page waits: a second or two on a busy machine.
AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Action:
    """An action on articles, and the kind of job that does it for many of them."""

    kind: str
    act: Callable[[Collection[int], Mapping[str, Any], Kept], Outcome]


ACTIONS: dict[str, Action] = {
    "put_on": Action("label", lambda ids, given, kept: put_on(ids, given["tags"], kept)),
    "take_off": Action("label", lambda ids, given, kept: take_off(ids, given["tags"], kept)),
    # Jobs of earlier releases name the labels by the columns that those releases had.
    "add_labels": Action(
        "label",
        lambda ids, given, kept: add_labels(ids, parse_labels(labels_by_kind(current_topic(), given["labels"])), kept),
    ),
    "assign": Action("assign", lambda ids, given, kept: assign(ids, given["person"], kept)),
    "unassign": Action("assign", lambda ids, _, kept: unassign(ids, kept)),
    "remove": Action("remove", lambda ids, given, kept: remove(ids, given["reason"], kept)),
    "take_back": Action("remove", lambda ids, _, kept: take_back(ids, kept)),
}


def at_once(action: str, article_ids: Collection[int], given: Mapping[str, Any]) -> Outcome:
    """Does the action here. Raises ValueError as the action does; for no article it tells whether the action would."""
    return ACTIONS[action].act(article_ids, given, unwatched)


def asked(action: str, what: str, article_ids: Collection[int], given: Mapping[str, Any]) -> dict[str, Any]:
    """The payload of the job; `what` is what will be told of it: "Put pilot on". Raises ValueError as the action."""
    at_once(action, (), given)
    return {"action": action, "what": what, "article_ids": list(dict.fromkeys(article_ids)), "given": dict(given)}


def as_given(labels: Labels) -> dict[str, str]:
    """Document labels as a payload holds them."""
    return {kind: write_names(names) for kind, names in labels.by_kind.items()}


class _Progress:
    """How far a job is: kept on its row, in the transaction of the batch that got it there."""

    def __init__(self, job: Job, monitor: Monitor) -> None:
        self.monitor = monitor
        self.what: str = job.payload["what"]
        self.ids: list[int] = job.payload["article_ids"]
        self.at: int = job.result.get("at", 0)
        self.done: list[list[int]] = [list(each) for each in job.result.get("done", [])]
        self.left_out = Counter(job.result.get("left_out", {}))
        self._logged = 0
        self._place = {number: place for place, number in enumerate(self.ids)}

    def keep(self, session: Session, outcome: Outcome, batch: Collection[int]) -> None:
        """Raises Cancelled, so that the batch is none, where somebody wished it or another process has the job."""
        if not db.jobs.goes_on(session, self.monitor.job_id, self.monitor.attempt):
            raise Cancelled
        self.at += len(batch)
        for number in outcome.done[self._logged :]:
            place = self._place[number]
            if self.done and self.done[-1][1] == place:  # neighbours are one pair of ends
                self.done[-1][1] += 1
            else:
                self.done.append([place, place + 1])
        self._logged = len(outcome.done)
        self.monitor.progress = {"stage": self.what, "done": self.at, "total": len(self.ids)}
        values = {"progress": self.monitor.progress, "reported_at": utc_now()}
        result = {"at": self.at, "done": self.done, "left_out": dict(self.left_out + outcome.left_out)}
        states = (JobState.RUNNING,)
        db.jobs.change(
            session, self.monitor.job_id, from_states=states, attempt=self.monitor.attempt, result=result, **values
        )
        self.monitor.show(self.monitor.progress)


def _work_on_many(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Does the action that the payload names with its articles, from the last place that was stored."""
    with read() as session:
        job = db.rows.get(session, Job, monitor.job_id)
        assert job is not None
        progress = _Progress(job, monitor)
    try:
        ACTIONS[payload["action"]].act(progress.ids[progress.at :], payload["given"], progress.keep)
    finally:
        with read() as session:
            job = db.rows.get(session, Job, monitor.job_id)
            assert job is not None
            monitor.keep(job.result)
    return monitor.result


HANDLERS_OF_MANY: dict[str, Handler] = dict.fromkeys((action.kind for action in ACTIONS.values()), _work_on_many)
KINDS_OF_MANY = tuple(HANDLERS_OF_MANY)


def outcome_of(payload: Mapping[str, Any], result: Mapping[str, Any]) -> Outcome:
    """The outcome for the articles of such a job, from its row."""
    ids = payload["article_ids"]
    done = [number for first, last in result.get("done", []) for number in ids[first:last]]
    return Outcome(len(ids), done, Counter(result.get("left_out", {})))


@dataclass(frozen=True, slots=True)
class Became:
    """What became of such a job: `outcome` of what it has done, the same in words with how it ended, and whether it
    came to its end."""

    action: str
    outcome: Outcome
    words: str
    went_well: bool


def what_became_of(session: Session, job_id: int) -> Became | None:
    """None of a job that is still active, or is another kind of job."""
    job = db.rows.get(session, Job, job_id)
    if job is None or job.state in db.jobs.ACTIVE or job.kind not in HANDLERS_OF_MANY:
        return None
    outcome = outcome_of(job.payload, job.result)
    ends = {
        JobState.DONE: "",
        JobState.CANCELLED: " Then it was cancelled.",
        JobState.FAILED: f" Then it failed: {job.error}.",
    }
    words = outcome.in_words(job.payload["what"]) + ends[JobState(job.state)]
    return Became(job.payload["action"], outcome, words, job.state == JobState.DONE)
