"""Runs of an experiment: here one after another, in one process for each device, or by an engine. Imports torch."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection

from annotate.engines.engine import Work
from annotate.experiments.corpora import Corpus
from annotate.experiments.experiment_run import devices, execute, share_threads
from annotate.experiments.experiment_spec import PlannedRun
from annotate.experiments.process_pool import DIED, Finished, RunProgress, attempted, in_processes, serve
from annotate.experiments.process_pool import Report as ReportProgress
from model.training.curve import Step


class Runs(Work[PlannedRun, Finished]):
    """Does runs on the first device of a process elsewhere; encoders that lie in a folder must be seen there."""

    cores = 4
    uses_gpu = True

    def __init__(self, sources: Mapping[str, str], corpus: Corpus) -> None:
        self.sources = sources
        self.corpus = corpus

    def __call__(self, given: PlannedRun) -> Iterable[Finished]:
        """How the run ended."""
        yield _attempted(given, self.sources, self.corpus, devices()[0], lambda progress: None)

    def lost(self, given: PlannedRun, reason: str) -> Iterable[Finished]:
        """A run that failed: the others go on."""
        yield Finished(given, error=DIED)


def run_all(
    runs: Sequence[PlannedRun],
    sources: Mapping[str, str],
    corpus: Corpus,
    devices: Sequence[str],
    on_progress: Callable[[RunProgress | None], None],
) -> Iterator[Finished]:
    """Does the runs, on several devices in a process each; yields each one as it ends.

    sources: the folder or hub id of each encoder. `on_progress` is called often, with None where nothing is new, and
    may raise to stop everything.
    """
    if len(devices) == 1 or len(runs) == 1:
        for run in runs:
            yield _attempted(run, sources, corpus, devices[0], on_progress)
    else:
        yield from in_processes(runs, devices, _work, (sources, corpus, len(devices[: len(runs)])), on_progress)


def _attempted(
    run: PlannedRun, sources: Mapping[str, str], corpus: Corpus, device: str, on_progress: ReportProgress
) -> Finished:
    def report(stage: str, step: Step | None) -> None:
        part, details = None, {}
        if step is not None:
            part = step.step / step.steps
            details = {"loss": round(step.loss, 5), "pairs_per_second": round(step.pairs_per_second, 1)}
        on_progress(RunProgress(run, stage, part, details))

    return attempted(run, lambda: execute(run, sources[run.encoder], corpus, device, report))


def _work(pipe: Connection, device: str, sources: Mapping[str, str], corpus: Corpus, processes: int) -> None:
    share_threads(processes)
    serve(pipe, lambda run, report: _attempted(run, sources, corpus, device, report))
