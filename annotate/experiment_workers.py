"""Runs of an experiment, here one after another or in one process for each device. Imports torch."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection

from annotate.corpora import Corpus
from annotate.experiment_run import execute, share_threads
from annotate.experiment_spec import Run
from annotate.processes import Finished, Progress, attempt, in_processes, serve
from annotate.processes import Report as ReportProgress
from model.training import Step


@dataclass(frozen=True, slots=True)
class Task:
    """A run with the folder or hub id of its encoder."""

    run: Run
    source: str


def run_all(
    tasks: Sequence[Task], corpus: Corpus, devices: Sequence[str], on_progress: Callable[[Progress | None], None]
) -> Iterator[Finished]:
    """Runs the tasks, on several devices in a process each; yields each one as it ends.

    `on_progress` is called often, with None where nothing is new, and may raise to stop everything.
    """
    if len(devices) == 1 or len(tasks) == 1:
        for task in tasks:
            yield _attempt(task, corpus, devices[0], on_progress)
    else:
        yield from in_processes(tasks, devices, _work, (corpus, len(devices[: len(tasks)])), on_progress)


def _attempt(task: Task, corpus: Corpus, device: str, on_progress: ReportProgress) -> Finished:
    def report(stage: str, step: Step | None) -> None:
        part, details = None, {}
        if step is not None:
            part = step.step / step.steps
            details = {"loss": round(step.loss, 5), "pairs_per_second": round(step.pairs_per_second, 1)}
        on_progress(Progress(task, stage, part, details))

    return attempt(task, lambda: execute(task.run, task.source, corpus, device, report))


def _work(pipe: Connection, device: str, corpus: Corpus, processes: int) -> None:
    share_threads(processes)
    serve(pipe, lambda task, report: _attempt(task, corpus, device, report))
