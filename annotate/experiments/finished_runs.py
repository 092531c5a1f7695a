"""What experiments and simulations share: runs that are stored once, and the progress of those that are missing."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import db.finished_runs
from annotate.engines.chosen import engine_of
from annotate.experiments.runner import Finished, Runner, RunProgress, in_processes
from annotate.experiments.spec_files import Study
from annotate.jobs.monitor import Monitor
from annotate.project.home import read, write
from annotate.project.rights import Right
from db.tables.experiments import FinishedRun

COPIED = ("corpus", "metrics", "articles", "history", "device", "seconds")


class Ledger:
    """The finished runs of one experiment (or simulation) in its table, of the runs with these keys."""

    def __init__(self, table: db.finished_runs.Runs, name: str, keys: Mapping[Any, str]) -> None:
        self.table = table
        self.name = name
        self.keys = keys

    def take_over(self) -> None:
        """Runs that another experiment has done already are this one's too."""
        with read() as session:
            mine = db.finished_runs.keys_of(session, self.name, self.table)
            others = db.finished_runs.runs_with_keys(session, {*self.keys.values()} - mine, self.table)
        for run, key in self.keys.items():
            if found := others.get(key):
                self.store(run, {name: getattr(found, name) for name in COPIED})

    def store(self, run: Any, values: Mapping[str, Any]) -> None:
        """Stores a finished run."""
        with write(Right.SYSTEM) as session:
            own = {"experiment": self.name, "key": self.keys[run], "encoder": run.encoder, "settings": run.described}
            db.finished_runs.insert_run(session, self.table, **own, **values)

    def missing(self) -> list[Any]:
        """The runs that are not stored, in order."""
        with read() as session:
            stored = db.finished_runs.keys_of(session, self.name, self.table)
        return [run for run, key in self.keys.items() if key not in stored]

    def stored(self) -> list[FinishedRun]:
        """The rows of the runs that are."""
        with read() as session:
            found = {run.key: run for run in db.finished_runs.runs_of(session, self.name, self.table)}
        return [found[key] for key in self.keys.values() if key in found]

    def listed(self, runs: Sequence[Any], broken: Mapping[Any, str]) -> list[dict[str, Any]]:
        """Each run with whether it is done, in any experiment, or why it cannot be."""
        with read() as session:
            found = db.finished_runs.runs_with_keys(session, {*self.keys.values()}, self.table)
        return [
            {"row": run.row, "seed": run.seed, "encoder": run.encoder}
            | ({"error": broken[run]} if run in broken else {"done": self.keys[run] in found})
            for run in runs
        ]


class Watch:
    """Turns what the runs report into the progress of the job, with the seconds left of all."""

    def __init__(self, monitor: Monitor, total: int) -> None:
        self.monitor = monitor
        self.total = total
        self.processes = 1  # at once
        self.done = 0
        self.started = time.monotonic()
        self.parts: dict[Any, float] = {}

    def progress(self, progress: RunProgress | None) -> None:
        """Reports, and stops everything once the job is cancelled."""
        if progress is not None:
            before = self.parts.get(progress.run, 0.0)
            self.parts[progress.run] = before if progress.part is None else progress.part
            stage = f"run {self.done + 1} of {self.total}"
            run = progress.run
            stage += f": {run.row}, seed {run.seed}" if self.processes == 1 else f", {self.processes} at once"
            done = round(self._fraction() * self.total, 2)
            self.monitor.report(stage, done, self.total, **progress.details, **self._seconds_left())
        self.monitor.stop_if_cancelled()

    def elsewhere(self) -> bool:
        """Reports how many are done while an engine does them, and stops everything once the job is cancelled."""
        stage = f"{self.done} of {self.total} runs done on the cluster"
        self.monitor.proceed(stage, self.done, self.total, **self._seconds_left())
        return False

    def finished(self, finished: Finished) -> None:
        """One more is done, or failed."""
        self.parts.pop(finished.run, None)
        self.done += 1
        if finished.error:
            self.monitor.report(f"run {self.done} of {self.total} failed", self.done, self.total)

    def _fraction(self) -> float:
        return min(1.0, (self.done + sum(self.parts.values())) / self.total)

    def _seconds_left(self) -> dict[str, float]:
        part = self._fraction()
        return {"seconds_left": round((time.monotonic() - self.started) * (1 - part) / part, 1)} if part > 0 else {}


def run_all(
    runner: Runner, runs: Sequence[Any], places: Callable[[], Sequence[str]], payload: Mapping[str, Any], watch: Watch
) -> Iterator[Finished]:
    """Each run as it ends: by the engine that the payload names, else here in one process for each of the places."""
    with engine_of(payload) as engine:
        if not engine.here:
            yield from engine.map(runner, runs, watch.elsewhere, ordered=False)
            return
    chosen = places()
    watch.processes = min(len(chosen), len(runs))
    if watch.processes == 1:
        yield from (runner.attempt(run, chosen[0], watch.progress) for run in runs)
    else:
        yield from in_processes(runner, runs, chosen, watch.progress)


def do_missing(
    study: Study,
    ledger: Ledger,
    corpus: Mapping[str, Any],
    do: Callable[[Sequence[Any], Watch], Iterator[Finished]],
    monitor: Monitor,
    *,
    at_most: int | None,
    broken: Mapping[Any, str],
) -> dict[str, Any]:
    """Does the runs that are not stored, stores each as it ends, and says what became of all.

    `do` gives back some runs, each as it ends, and tells the watch how far they are; `broken` are those that could not
    even be begun, with the reason. Raises RuntimeError where every run failed.
    """
    ledger.take_over()
    missing = ledger.missing()
    chosen = missing[:at_most]
    failed = [_failure(run, error) for run, error in broken.items()]
    watch = Watch(monitor, len(chosen))
    for finished in do(chosen, watch) if chosen else ():
        if finished.error:
            failed.append(_failure(finished.run, finished.error))
        else:
            ledger.store(finished.run, {"corpus": dict(corpus), **finished.values})
        watch.finished(finished)
    if failed and len(failed) == len(study.runs):
        raise RuntimeError(f"every run failed; the first: {failed[0]['error']}")
    done = len(chosen) + len(broken) - len(failed)
    return {
        "experiment": study.name,
        "title": study.title,
        "runs": len(study.runs),
        "done_now": done,
        "done_before": len(study.runs) - len(missing) - len(broken),
        "left": len(missing) - done,
        "failed": failed,
        "corpus": dict(corpus),
    }


def _failure(run: Any, error: str) -> dict[str, Any]:
    return {"row": run.row, "seed": run.seed, "error": " ".join(error.split())}
