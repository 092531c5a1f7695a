"""Experiments: every run of a spec that is not stored yet is done and stored, and the table of all is made.

Imports torch late: the pages list experiments.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import db.experiments
from annotate.corpora import Corpus, database_corpus, file_corpus
from annotate.experiment_spec import EMBEDDED, Run, Spec, parse_spec
from annotate.experiment_tables import rows_of, table_of
from annotate.home import read, write
from annotate.jobs import Monitor
from annotate.versions import find_version, verified_folder
from db.learning_tables import ExperimentRun
from db.versions import version_named
from model.files import embedded_encoder, manifest_of

if TYPE_CHECKING:
    from annotate.experiment_workers import Finished, Progress, Task

COPIED = ("corpus", "encoder", "metrics", "articles", "history", "device", "seconds")


def experiment(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Does what is missing of an experiment and returns its table, with the runs that failed.

    The payload: spec (its content), files {part: path}, seeds, limit, only (at most so many runs), devices,
    processes. Raises ValueError for a wrong spec or corpus, RuntimeError where every run failed, Cancelled.
    """
    monitor.report("reading the corpus")
    spec, corpus = prepare_experiment(payload)
    keys, broken = _keys(spec.runs, corpus)
    _take_over(spec, keys)
    with read() as session:
        stored = db.experiments.keys_of(session, spec.name)
    missing = [run for run in spec.runs if run in keys and keys[run][0] not in stored]
    chosen = missing[: payload.get("only")]
    failed = [_failure(run, error) for run, error in broken.items()]
    if chosen:
        failed += _do(spec, corpus, chosen, keys, payload, monitor)
    done = len(chosen) + len(broken) - len(failed)
    if failed and len(failed) == len(spec.runs):
        raise RuntimeError(f"every run failed; the first: {failed[0]['error']}")
    return {
        "experiment": spec.name,
        "title": spec.title,
        "corpus": corpus.description,
        "runs": len(spec.runs),
        "done_now": done,
        "done_before": len(spec.runs) - len(missing) - len(broken),
        "left": len(missing) - done,
        "failed": failed,
        "rows": table_of(rows_of(_stored(spec, keys))),
    }


def prepare_experiment(payload: Mapping[str, Any]) -> tuple[Spec, Corpus]:
    """The spec and corpus of a payload. Raises ValueError."""
    spec = parse_spec(payload["spec"], payload.get("seeds"))
    own = dict(spec.corpus or {})
    files = {part: path for part, path in (payload.get("files") or {}).items() if path}
    of_spec = own.pop("limit", None)
    limit = of_spec if payload.get("limit") is None else payload["limit"]
    share = {"validation_share": own.pop("validation_share")} if "validation_share" in own else {}
    # Files of the command line take the place of all that the spec names: no mixture of two corpora.
    files = files or own
    return spec, file_corpus(files, limit, **share) if files else database_corpus(limit)


def list_runs(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every run of an experiment, and whether it is done."""
    spec, corpus = prepare_experiment(payload)
    keys, broken = _keys(spec.runs, corpus)
    with read() as session:
        stored = db.experiments.runs_with_keys(session, [key for key, _ in keys.values()])
    return [
        {"row": run.row, "seed": run.settings.seed, "encoder": run.encoder}
        | ({"error": broken[run]} if run in broken else {"done": keys[run][0] in stored})
        for run in spec.runs
    ]


def encoder_source(name: str) -> tuple[str, str]:
    """(folder or hub id to load, identity) of the embedded encoder, a version, a local folder or a hub id.

    The identity of files is their hashes. Raises DamagedModel.
    """
    if name == EMBEDDED:
        return _folder_source(embedded_encoder())
    with read() as session:
        known = version_named(session, name) is not None
    if known:
        version = find_version(name)
        return str(verified_folder(version)), repr(sorted(version.manifest.items()))
    path = Path(name).expanduser()
    return _folder_source(path) if path.is_dir() else (name, name)


def _folder_source(path: Path) -> tuple[str, str]:
    return str(path), repr(sorted(manifest_of(path).items()))


def _keys(runs: Sequence[Run], corpus: Corpus) -> tuple[dict[Run, tuple[str, str]], dict[Run, str]]:
    """({run: (key, source)}, {run: error}); what is wrong with one encoder does not stop the others."""
    sources: dict[str, tuple[str, str]] = {}
    errors: dict[str, str] = {}
    for name in dict.fromkeys(run.encoder for run in runs):
        try:
            sources[name] = encoder_source(name)
        except (RuntimeError, OSError) as error:
            errors[name] = str(error)
    keys = {}
    for run in runs:
        if run.encoder in sources:
            source, identity = sources[run.encoder]
            keys[run] = (run.key(corpus.sha256, identity), source)
    return keys, {run: errors[run.encoder] for run in runs if run.encoder in errors}


def _take_over(spec: Spec, keys: Mapping[Run, tuple[str, str]]) -> None:
    """Runs that another experiment has done already are this one's too."""
    with read() as session:
        mine = db.experiments.keys_of(session, spec.name)
        others = db.experiments.runs_with_keys(session, {key for key, _ in keys.values()} - mine)
    for run, (key, _) in keys.items():
        if found := others.get(key):
            values = {name: getattr(found, name) for name in COPIED}
            _store(spec, run, key, values | {"encoder": run.encoder})


def _store(spec: Spec, run: Run, key: str, values: Mapping[str, Any]) -> None:
    with write() as session:
        db.experiments.insert_run(session, experiment=spec.name, key=key, settings=run.described, **values)


def _stored(spec: Spec, keys: Mapping[Run, tuple[str, str]]) -> list[ExperimentRun]:
    with read() as session:
        found = {run.key: run for run in db.experiments.runs_of(session, spec.name)}
    return [found[key] for key, _ in keys.values() if key in found]


def _failure(run: Run, error: str) -> dict[str, Any]:
    return {"row": run.row, "seed": run.settings.seed, "error": " ".join(error.split())}


def _do(
    spec: Spec,
    corpus: Corpus,
    runs: Sequence[Run],
    keys: Mapping[Run, tuple[str, str]],
    payload: Mapping[str, Any],
    monitor: Monitor,
) -> list[dict[str, Any]]:
    """Does the runs and stores each as it ends; returns those that failed."""
    from annotate.experiment_run import devices  # noqa: PLC0415 (torch takes seconds to import)
    from annotate.experiment_workers import Task, run_all  # noqa: PLC0415

    chosen = devices(payload.get("devices") or (), payload.get("processes") or 1)
    tasks = [Task(run, keys[run][1]) for run in runs]
    watch = _Watch(monitor, len(tasks), len(chosen))
    failed = []
    for finished in run_all(tasks, corpus, chosen, watch.progress):
        run = finished.task.run
        if finished.error:
            failed.append(_failure(run, finished.error))
        else:
            values = {"corpus": corpus.description, "encoder": run.encoder, **finished.values}
            _store(spec, run, keys[run][0], values)
        watch.finished(finished)
    return failed


class _Watch:
    """Turns what the runs report into the progress of the job, with the seconds left of all."""

    def __init__(self, monitor: Monitor, total: int, processes: int) -> None:
        self.monitor = monitor
        self.total = total
        self.processes = min(processes, total)
        self.done = 0
        self.started = time.monotonic()
        self.parts: dict[Task, float] = {}

    def progress(self, progress: "Progress | None") -> None:
        if progress is not None:
            run, step = progress.task.run, progress.step
            self.parts[progress.task] = step.step / step.steps if step else self.parts.get(progress.task, 0.0)
            stage = f"run {self.done + 1} of {self.total}"
            alone = f": {run.row}, seed {run.settings.seed}"
            stage += alone if self.processes == 1 else f", {self.processes} at once"
            details: dict[str, Any] = {}
            if step is not None:
                details = {"loss": round(step.loss, 5), "pairs_per_second": round(step.pairs_per_second, 1)}
            done = round(self._fraction() * self.total, 2)
            self.monitor.report(stage, done, self.total, **details, **self._seconds_left())
        self.monitor.stop_if_cancelled()

    def finished(self, finished: "Finished") -> None:
        self.parts.pop(finished.task, None)
        self.done += 1
        if finished.error:
            self.monitor.report(f"run {self.done} of {self.total} failed", self.done, self.total)

    def _fraction(self) -> float:
        return min(1.0, (self.done + sum(self.parts.values())) / self.total)

    def _seconds_left(self) -> dict[str, float]:
        part = self._fraction()
        return {"seconds_left": round((time.monotonic() - self.started) * (1 - part) / part, 1)} if part > 0 else {}
