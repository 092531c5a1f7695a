"""How a ranking model is trained: what it begins with, progress, checkpoints, and the new version. Imports torch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from annotate.finding.rankers.judged_questions import Judged
from annotate.jobs.job_files import scratch
from annotate.jobs.monitor import Monitor
from annotate.proposing.encoder_versions import proposing_version
from annotate.registry.kinds import OF_FIND
from annotate.registry.versions import keep, verified_folder, version_named
from db.tables import ModelVersion
from db.values import Kind
from model.finding.ranker_settings import RankerSettings
from model.finding.reader import Reader, load_reader, reader_of_encoder
from model.finding.rounds import Task, train_rounds
from model.training.checkpoints import Checkpoints
from model.training.curve import Step


@dataclass(frozen=True, slots=True)
class Asked:
    """A training as it was asked for. `parent`: the version to go on from, else the proposing encoder."""

    stage: Kind
    judged: Judged
    settings: RankerSettings
    monitor: Monitor
    parent: ModelVersion | None = None
    folds: int = 0

    def reader(self) -> Reader:
        """What the training begins with: the network of the parent, or the encoder that proposes."""
        if self.parent is not None:
            return load_reader(verified_folder(self.parent))
        return reader_of_encoder(verified_folder(proposing_version()))

    def trained_on(self) -> dict[str, Any]:
        """The facts about the training that are stored with the version."""
        begun = self.parent.name if self.parent else proposing_version().name
        return self.judged.trained_on | {"begun_with": begun}

    def keep(
        self,
        save: Callable[[Path], None],
        metrics: Mapping[str, Any],
        learnt: dict[str, Any],
        settings: dict[str, Any] | None = None,
    ) -> ModelVersion:
        """Keeps what was trained as a version; `learnt` and `settings` are told with what is told of every training."""
        self.monitor.report("saving the new version")
        return keep(
            self.stage,
            save,
            self.monitor,
            settings=asdict(self.settings) | (settings or {}),
            trained_on=self.trained_on() | learnt,
            metrics=metrics,
            parent=self.parent,
        )

    def train(self, task: Task, part: str, shown: str) -> list[Step]:
        """Trains with progress, cancellation and checkpoints of its own for each `part` of the job."""
        what = {"settings": asdict(self.settings), "part": part, "trained_on": self.trained_on()}
        return train_rounds(
            task,
            self.settings,
            on_step=partial(self._report, shown),
            checkpoints=Checkpoints(scratch(self.monitor.job_id) / part, what),
        )

    def _report(self, shown: str, step: Step) -> None:
        told = {"loss": round(step.loss, 5), "pairs_per_second": round(step.pairs_per_second, 1)}
        self.monitor.proceed(shown, step.step, step.steps, **told, seconds_left=round(step.seconds_left, 1))


def parent_of(name: str | None, stages: tuple[Kind, ...]) -> ModelVersion | None:
    """The version to go on from. Raises ValueError where it is of another stage than these."""
    if name is None:
        return None
    found = version_named(name, *OF_FIND)
    if found.kind not in stages:
        raise ValueError(f"{name} is a version of {found.kind}; this training goes on from {' or '.join(stages)}")
    return found


def curve_of(steps: Sequence[Step]) -> Mapping[str, Any]:
    """How a training went, in short: its steps, and the mean loss at the beginning and at the end."""
    return {"steps": len(steps), "first_loss": round(steps[0].loss, 5), "last_loss": round(steps[-1].loss, 5)}
