"""What a retraining cost elsewhere: a version compared with its parent on the cheap tasks. Needs no torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

import db.registry
import db.rows
from annotate.encoders.results import all_results
from annotate.encoders.sources import files_sha256
from annotate.encoders.tasks.registry import CHEAP, TASKS, TaskFolder, why_not
from annotate.jobs.lifecycle import start_after_other_work
from annotate.project.home import read
from annotate.project.stored_settings import settings_now
from db.tables import ModelVersion
from model.evaluation.intervals import Estimate

# A loss of more than this, which its interval tells from none, is worth a warning.
MOST = 0.02


@dataclass(frozen=True, slots=True)
class Loss:
    """A version's leading measure on a task, less its parent's."""

    task: str
    change: Estimate

    @property
    def matters(self) -> bool:
        """Whether the loss is larger than MOST, and beyond chance."""
        return self.change.value < -MOST and self.change.high < 0


def cheap_tasks(session: Session) -> list[str]:
    """The cheap tasks that can be run here; none where no folder was named, or it is gone."""
    try:
        place = settings_now(session, TaskFolder).place
    except ValueError:
        return []
    return [name for name in CHEAP if not why_not(TASKS[name], place)]


def comparison_payload(name: str) -> dict[str, Any] | None:
    """The payload that has a version and its parent scored; None without a parent, or a cheap task that can be run."""
    with read() as session:
        version = db.registry.encoder_named(session, name)
        parent = _parent(session, version)
        tasks = cheap_tasks(session)
    if version is None or parent is None or not tasks:
        return None
    return {"encoders": [parent.name, version.name], "tasks": tasks}


def start_comparison(name: str) -> None:
    """Starts the job that scores a new version and its parent, unless one runs: the page Retrain offers it, too."""
    if payload := comparison_payload(name):
        start_after_other_work("encoders", payload)


def _parent(session: Session, version: ModelVersion | None) -> ModelVersion | None:
    number = version.parent_id if version else None
    return db.rows.get(session, ModelVersion, number) if number else None


def losses_of(session: Session, version: ModelVersion) -> list[Loss]:
    """The changes from a version's parent on the cheap tasks that both were scored on, the worst first."""
    parent = _parent(session, version)
    if parent is None:
        return []
    # The latest result of each task, of the encoder's vectors without words.
    found = [one for one in all_results() if not one.words and one.classifier == "logistic"]
    hashes = (files_sha256(one.manifest) for one in (version, parent))
    mine, its = ({one.task: one for one in found if one.source_sha256 == sha256} for sha256 in hashes)
    changes = [
        (name, mine[name].change_from(its[name], TASKS[name].measures[0]))
        for name in CHEAP
        if name in mine.keys() & its
    ]
    return sorted((Loss(name, change) for name, change in changes if change), key=lambda loss: loss.change.value)


def not_seen(losses: Sequence[Loss]) -> list[str]:
    """The titles of the cheap tasks that no loss among these is about: a version may have lost there unseen."""
    seen = {loss.task for loss in losses}
    return [TASKS[name].title for name in CHEAP if name not in seen]
