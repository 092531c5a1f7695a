"""Simulations: every replay of a spec that is not stored yet is done and stored, and the table of all is made."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from annotate.finished_runs import Ledger, Watch, failure, summary
from annotate.jobs import Monitor
from annotate.processes import Finished, Progress, Report, attempt, in_processes, serve
from annotate.replay import Material, replay
from annotate.simulation_rows import Labelled, labelled, rows_file
from annotate.simulation_spec import Replay, Simulation, parse_spec
from annotate.simulation_tables import summary_of
from db.learning_tables import SimulationRun


def simulate(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Does what is missing of a simulation and returns its summary, with the replays that failed.

    The payload: spec (its content), files (paths), seeds, limit, only (at most so many replays), processes. Raises
    ValueError for a wrong spec or corpus, RuntimeError where every replay failed, Cancelled.
    """
    monitor.report("reading the corpus")
    simulation, corpus = prepare_simulation(payload)
    ledger = _ledger(simulation, corpus)
    ledger.take_over()
    missing = ledger.missing()
    chosen = missing[: payload.get("only")]
    failed = _do(corpus, chosen, ledger, payload.get("processes"), monitor) if chosen else []
    done = summary(simulation.name, simulation.title, simulation.runs, len(missing), len(chosen), failed)
    return {**done, "corpus": corpus.description, "rows": summary_of(ledger.stored())}


def prepare_simulation(payload: Mapping[str, Any]) -> tuple[Simulation, Labelled]:
    """The simulation of a payload, its runs with the name of their encoder, and its corpus. Raises ValueError."""
    simulation = parse_spec(payload["spec"], payload.get("seeds"))
    corpus = labelled(simulation, payload.get("files") or (), payload.get("limit"))
    runs = [replace(run, encoder=corpus.encoder) for run in simulation.runs]
    return replace(simulation, runs=runs), corpus


def list_replays(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every replay of a simulation, and whether it is done."""
    simulation, corpus = prepare_simulation(payload)
    done = _ledger(simulation, corpus).done()
    return [{"row": run.row, "seed": run.seed, "encoder": run.encoder, "done": done[run]} for run in simulation.runs]


def _ledger(simulation: Simulation, corpus: Labelled) -> Ledger:
    return Ledger(SimulationRun, simulation.name, {run: run.key(corpus.sha256) for run in simulation.runs})


def _do(
    corpus: Labelled, runs: Sequence[Replay], ledger: Ledger, processes: int | None, monitor: Monitor
) -> list[dict[str, Any]]:
    """Does the replays and stores each as it ends; returns those that failed."""
    if processes is not None and processes < 1:
        raise ValueError(f"processes is {processes}; it must be 1 or more")

    def prepare(stage: str, done: int, total: int) -> None:
        monitor.report(stage, done, total)
        monitor.stop_if_cancelled()

    path = rows_file(corpus, prepare)
    # One core is left to the app and its reader, where there are several.
    number = min(processes or max(1, (os.cpu_count() or 1) - 1), len(runs))
    watch = Watch(monitor, len(runs), number)

    def show(progress: Progress | None) -> None:
        watch.progress(progress, f"{progress.task.row}, seed {progress.task.seed}" if progress else "")

    failed = []
    for finished in _replays(runs, path, number, show):
        run = finished.task
        if finished.error:
            failed.append(failure(run.row, run.seed, finished.error))
        else:
            ledger.store(run, {"corpus": corpus.description, **finished.values})
        watch.finished(finished)
    return failed


def _replays(runs: Sequence[Replay], path: Path, processes: int, on_progress: Any) -> Iterator[Finished]:
    if processes == 1:
        yield from (_attempt(run, path, on_progress) for run in runs)
    else:
        yield from in_processes(runs, ["cpu"] * processes, _work, [path], on_progress)


def _attempt(run: Replay, path: Path, on_progress: Report) -> Finished:
    return attempt(run, lambda: _timed(run, path, on_progress))


def _timed(run: Replay, path: Path, on_progress: Report) -> dict[str, Any]:
    started = time.monotonic()
    with threadpool_limits(1):  # so small products gain nothing from a second core, which has a replay of its own
        found = replay(run, _material(path), lambda part: on_progress(Progress(run, "replaying", part)))
    return {**found, "device": "cpu", "seconds": round(time.monotonic() - started, 3)}


@lru_cache(maxsize=1)
def _material(path: Path) -> Material:
    return Material.load(path)


def _work(pipe: Connection, place: str, path: Path) -> None:
    serve(pipe, lambda run, report: _attempt(run, path, report))
