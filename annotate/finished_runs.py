"""What experiments and simulations share: runs that are stored once, and the progress of those that are missing."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import db.experiments
from annotate.home import read, write
from annotate.jobs import Monitor
from annotate.processes import Finished, Progress
from annotate.rights import Right

COPIED = ("corpus", "metrics", "articles", "history", "device", "seconds")


class Run(Protocol):
    """A run of a grid: the encoder's name, and what is stored as its settings."""

    @property
    def encoder(self) -> str:
        """As the spec calls it."""
        ...

    @property
    def described(self) -> dict[str, Any]:
        """JSON-able values, with the row and its place."""
        ...


class Ledger:
    """The finished runs of one experiment (or simulation) in its table, of the runs with these keys."""

    def __init__(self, table: db.experiments.Runs, name: str, keys: Mapping[Any, str]) -> None:
        self.table = table
        self.name = name
        self.keys = keys

    def take_over(self) -> None:
        """Runs that another experiment has done already are this one's too."""
        with read() as session:
            mine = db.experiments.keys_of(session, self.name, self.table)
            others = db.experiments.runs_with_keys(session, {*self.keys.values()} - mine, self.table)
        for run, key in self.keys.items():
            if found := others.get(key):
                self.store(run, {name: getattr(found, name) for name in COPIED})

    def store(self, run: Run, values: Mapping[str, Any]) -> None:
        """Stores a finished run."""
        with write(Right.SYSTEM) as session:
            own = {"experiment": self.name, "key": self.keys[run], "encoder": run.encoder, "settings": run.described}
            db.experiments.insert_run(session, self.table, **own, **values)

    def missing(self) -> list[Any]:
        """The runs that are not stored, in order."""
        with read() as session:
            stored = db.experiments.keys_of(session, self.name, self.table)
        return [run for run, key in self.keys.items() if key not in stored]

    def stored(self) -> list[db.experiments.Run]:
        """The rows of the runs that are."""
        with read() as session:
            found = {run.key: run for run in db.experiments.runs_of(session, self.name, self.table)}
        return [found[key] for key in self.keys.values() if key in found]

    def done(self) -> dict[Any, bool]:
        """Whether each run is done, in whatever experiment."""
        with read() as session:
            found = db.experiments.runs_with_keys(session, {*self.keys.values()}, self.table)
        return {run: key in found for run, key in self.keys.items()}


class Watch:
    """Turns what the runs report into the progress of the job, with the seconds left of all."""

    def __init__(self, monitor: Monitor, total: int, processes: int) -> None:
        self.monitor = monitor
        self.total = total
        self.processes = min(processes, total)
        self.done = 0
        self.started = time.monotonic()
        self.parts: dict[Any, float] = {}

    def progress(self, progress: Progress | None, name: str = "") -> None:
        """Reports, and stops everything once the job is cancelled. `name` is the run's."""
        if progress is not None:
            before = self.parts.get(progress.task, 0.0)
            self.parts[progress.task] = before if progress.part is None else progress.part
            stage = f"run {self.done + 1} of {self.total}"
            stage += f": {name}" if self.processes == 1 else f", {self.processes} at once"
            done = round(self._fraction() * self.total, 2)
            self.monitor.report(stage, done, self.total, **progress.details, **self._seconds_left())
        self.monitor.stop_if_cancelled()

    def finished(self, finished: Finished) -> None:
        """One more is done, or failed."""
        self.parts.pop(finished.task, None)
        self.done += 1
        if finished.error:
            self.monitor.report(f"run {self.done} of {self.total} failed", self.done, self.total)

    def _fraction(self) -> float:
        return min(1.0, (self.done + sum(self.parts.values())) / self.total)

    def _seconds_left(self) -> dict[str, float]:
        part = self._fraction()
        return {"seconds_left": round((time.monotonic() - self.started) * (1 - part) / part, 1)} if part > 0 else {}


def failure(row: str, seed: int, error: str) -> dict[str, Any]:
    """What a report says of a run that failed."""
    return {"row": row, "seed": seed, "error": " ".join(error.split())}


def summary(
    name: str, title: str, runs: Sequence[Any], missing: int, chosen: int, failed: Sequence[Any], broken: int = 0
) -> dict[str, Any]:
    """What the job says of its runs: how many there are, were done before and now, are left, and failed.

    `broken` runs are among those that failed, and could not even be begun. RuntimeError where every run failed.
    """
    if failed and len(failed) == len(runs):
        raise RuntimeError(f"every run failed; the first: {failed[0]['error']}")
    done = chosen + broken - len(failed)
    return {
        "experiment": name,
        "title": title,
        "runs": len(runs),
        "done_now": done,
        "done_before": len(runs) - missing - broken,
        "left": missing - done,
        "failed": [*failed],
    }
