"""Studies: every run of a spec that is not stored yet is done and stored, and the table of all is made.

Experiments and simulations are the two kinds; what one of them is stands in its `StudyKind`.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import db.evaluation
from annotate.engines.child_processes import ChildProcesses
from annotate.engines.chosen import engine_of
from annotate.engines.engine import FAILURES, Work
from annotate.experiments import spec_files
from annotate.experiments.spec_files import Run, Study
from annotate.experiments.study_tables import Column, Row, rows_of
from annotate.jobs.monitor import Monitor
from annotate.project.home import read, write
from annotate.project.rights import Right

COPIED = ("corpus", "metrics", "articles", "history", "device", "seconds")
Payload = Mapping[str, Any]
Places = Callable[[], Sequence[str]]


# Called with the part of a run that is done, 0 to 1, or None before that is known, and further numbers; may raise to
# stop.
Report = Callable[[float | None, dict[str, float]], None]


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended: with results to store, or with an error in words."""

    run: Any
    values: dict[str, Any] = field(default_factory=dict)
    error: str = ""


class Runner(Work[Any, Finished]):
    """Does runs, one after the other in each process; what it holds must be seen wherever that is."""

    again = False
    processes = 1  # that share this machine

    def do(self, run: Any, report: Report) -> dict[str, Any]:
        """The results of a run to store."""
        raise NotImplementedError

    def attempt(self, run: Any, report: Report) -> Finished:
        """What a run came to, if only an error: unusable encoders and settings, divergence, too little memory."""
        try:
            return Finished(run, self.do(run, report))
        except FAILURES as error:
            return Finished(run, error=str(error) or type(error).__name__)

    def __call__(self, given: Any) -> Iterable[Finished]:
        """How the run ended."""
        yield self.attempt(given, lambda part, details: None)

    def lost(self, given: Any, reason: str) -> Iterable[Finished]:
        """A run that failed: the others go on."""
        yield Finished(given, error=reason)


@dataclass(frozen=True, slots=True)
class Plan:
    """A study with its corpus: the key of each run that can be done, and the reason for each that cannot.

    `begin` makes ready what does the runs, and gives with it the places at which processes do them.
    """

    study: Study
    corpus: Mapping[str, Any]
    keys: Mapping[Any, str]
    begin: Callable[[Monitor], tuple[Runner, Places]]
    broken: Mapping[Any, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StudyKind:
    """What experiments are, or simulations: `name` as stored, `job` the kind of its job, `run` the type of its runs.

    `parse` makes a study of a spec's content and a number of seeds, `plan` takes a payload: spec (its content), files,
    seeds, limit. `counted` tells a corpus in words. `table` has a line for each row, told in `columns`, whose ± is the
    `interval`; `as_csv` is the file. Rows are compared where they have the same values of the `shared` settings.
    """

    name: str
    job: str
    specs: Path
    run: type[Run]
    interval: str
    columns: Mapping[str, Column]
    parse: Callable[[Mapping[str, Any], int | None], Study]
    plan: Callable[[Payload], Plan]
    counted: Callable[[Mapping[str, Any]], str]
    table: Callable[[Sequence[Row]], list[dict[str, Any]]]
    as_csv: Callable[[Sequence[Row]], str]
    shared: Sequence[str] = ()

    @property
    def shipped(self) -> dict[str, Path]:
        """The spec files that come with Keyline, by name."""
        return spec_files.shipped(self.specs)

    def read_spec(self, path: Path) -> dict[str, Any]:
        """The content of a spec file, or of a shipped one by its name. Raises ValueError."""
        return spec_files.read_spec(path, self.specs, lambda content: self.parse(content, None))


def carry_out(kind: StudyKind, payload: Payload, monitor: Monitor) -> dict[str, Any]:
    """Does the runs that are not stored, stores each as it ends, and says what became of all, with the table.

    The payload has, besides what `kind.plan` reads: only (the most runs to do), devices, processes, engine. Raises
    ValueError for a wrong spec or corpus, RuntimeError where every run failed, Cancelled.
    """
    monitor.report("reading the corpus")
    plan = kind.plan(payload)
    study, corpus = plan.study, dict(plan.corpus)
    missing = _missing(kind, plan)
    chosen = missing[: payload.get("only")]
    failed = [_failure(run, error) for run, error in plan.broken.items()]
    watch = Watch(monitor, len(chosen))
    for finished in _done(plan, chosen, payload, watch) if chosen else ():
        if finished.error:
            failed.append(_failure(finished.run, finished.error))
        else:
            _store(kind, plan, finished.run, {"corpus": corpus, **finished.values})
        watch.finished(finished)
    if failed and len(failed) == len(study.runs):
        raise RuntimeError(f"every run failed; the first: {failed[0]['error']}")
    with read() as session:
        found = {run.key: run for run in db.evaluation.runs_of(session, kind.name, study.name)}
    done = len(chosen) + len(plan.broken) - len(failed)
    return {
        "experiment": study.name,
        "title": study.title,
        "runs": len(study.runs),
        "done_now": done,
        "done_before": len(study.runs) - len(missing) - len(plan.broken),
        "left": len(missing) - done,
        "failed": failed,
        "corpus": corpus,
        "rows": kind.table(rows_of([found[key] for key in plan.keys.values() if key in found], kind.run)),
    }


def listed(kind: StudyKind, payload: Payload) -> list[dict[str, Any]]:
    """Each run of a study with whether it is done, in any study of its kind, or why it cannot be."""
    plan = kind.plan(payload)
    with read() as session:
        found = db.evaluation.runs_with_keys(session, kind.name, {*plan.keys.values()})
    return [
        {"row": run.row, "seed": run.seed, "encoder": run.encoder}
        | ({"error": plan.broken[run]} if run in plan.broken else {"done": plan.keys[run] in found})
        for run in plan.study.runs
    ]


def _missing(kind: StudyKind, plan: Plan) -> list[Any]:
    """The runs that are not stored, in order; those that another study has done already become this one's too."""
    with read() as session:
        mine = db.evaluation.keys_of(session, kind.name, plan.study.name)
        others = db.evaluation.runs_with_keys(session, kind.name, {*plan.keys.values()} - mine)
    for run, key in plan.keys.items():
        if found := others.get(key):
            _store(kind, plan, run, {name: getattr(found, name) for name in COPIED})
    return [run for run, key in plan.keys.items() if key not in mine and key not in others]


def _store(kind: StudyKind, plan: Plan, run: Any, values: Mapping[str, Any]) -> None:
    own = {"experiment": plan.study.name, "key": plan.keys[run], "encoder": run.encoder, "settings": run.described}
    with write(Right.SYSTEM) as session:
        db.evaluation.insert_run(session, kind.name, **own, **values)


class Watch:
    """Turns what the runs report into the progress of the job, with the seconds left of all."""

    def __init__(self, monitor: Monitor, total: int) -> None:
        self.monitor = monitor
        self.total = total
        self.done = 0
        self.started = time.monotonic()

    def progress(self, run: Any, part: float | None, details: Mapping[str, float]) -> None:
        """Reports how far the run is that is done here, and stops everything once the job is cancelled."""
        stage = f"run {self.done + 1} of {self.total}: {run.row}, seed {run.seed}"
        done = round(self.done + (part or 0), 2)
        self.monitor.report(stage, done, self.total, **details, **self._seconds_left(done))
        self.monitor.stop_if_cancelled()

    def elsewhere(self, where: str) -> bool:
        """Reports how many are done while others do them, and stops everything once the job is cancelled."""
        stage = f"{self.done} of {self.total} runs done{where}"
        self.monitor.proceed(stage, self.done, self.total, **self._seconds_left(self.done))
        return False

    def finished(self, finished: Finished) -> None:
        """One more is done, or failed."""
        self.done += 1
        if finished.error:
            self.monitor.report(f"run {self.done} of {self.total} failed", self.done, self.total)

    def _seconds_left(self, done: float) -> dict[str, float]:
        passed = time.monotonic() - self.started
        return {"seconds_left": round(passed * (self.total - done) / done, 1)} if done else {}


def _done(plan: Plan, runs: Sequence[Any], payload: Payload, watch: Watch) -> Iterator[Finished]:
    """Each run as it ends: by the engine that the payload names, else here in one process for each of the places."""
    runner, places = plan.begin(watch.monitor)
    with engine_of(payload) as engine:
        if not engine.here:
            yield from engine.map(runner, runs, lambda: watch.elsewhere(" on the cluster"), ordered=False)
            return
    chosen = places()[: len(runs)]
    runner.place, runner.processes = chosen[0], len(chosen)
    if len(chosen) == 1:
        yield from (runner.attempt(run, partial(watch.progress, run)) for run in runs)
        return
    with ChildProcesses(len(chosen), chosen) as children:
        at_once = f", {len(chosen)} at once"
        yield from children.map(runner, runs, lambda: watch.elsewhere(at_once), ordered=False)


def _failure(run: Any, error: str) -> dict[str, Any]:
    return {"row": run.row, "seed": run.seed, "error": " ".join(error.split())}
