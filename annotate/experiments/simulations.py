"""Simulations: every replay of a spec that is not stored yet is done and stored, and the table of all is made."""

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from annotate.engines.chosen import engine_of
from annotate.engines.engine import Work
from annotate.experiments.finished_runs import Ledger, Watch, do_missing
from annotate.experiments.process_pool import DIED, Finished, Report, RunProgress, attempted, in_processes, serve
from annotate.experiments.replay import Material, replay
from annotate.experiments.simulation_rows import Labelled, labelled, rows_file, words_beside, words_file
from annotate.experiments.simulation_spec import Replay, Simulation, parse_spec
from annotate.experiments.simulation_tables import summary_of
from annotate.jobs.monitor import Monitor
from db.tables import SimulationRun
from model.active_learning.screening import Examples


def simulate(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Does what is missing of a simulation and returns its summary, with the replays that failed.

    The payload: spec (its content), files (paths), seeds, limit, only (the most replays to do), processes,
    engine. Raises ValueError for a wrong spec or corpus, RuntimeError where every replay failed, Cancelled.
    """
    monitor.report("reading the corpus")
    simulation, corpus = prepare_simulation(payload)
    ledger = _ledger(simulation, corpus)

    def do(runs: Sequence[Replay], watch: Watch) -> Iterator[Finished]:
        return _replayed(corpus, runs, payload, watch)

    done = do_missing(simulation, ledger, corpus.description, do, monitor, at_most=payload.get("only"), broken={})
    return done | {"rows": summary_of(ledger.stored())}


def prepare_simulation(payload: Mapping[str, Any]) -> tuple[Simulation, Labelled]:
    """The simulation of a payload, its runs with the name of their encoder, and its corpus. Raises ValueError."""
    simulation = parse_spec(payload["spec"], payload.get("seeds"))
    corpus = labelled(simulation, payload.get("files") or (), payload.get("limit"))
    runs = [replace(run, encoder=corpus.encoder) for run in simulation.runs]
    return replace(simulation, runs=runs), corpus


def list_replays(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every replay of a simulation, and whether it is done."""
    simulation, corpus = prepare_simulation(payload)
    return _ledger(simulation, corpus).listed(simulation.runs, {})


def _ledger(simulation: Simulation, corpus: Labelled) -> Ledger:
    return Ledger(SimulationRun, simulation.name, {run: run.key(corpus.sha256) for run in simulation.runs})


class Replays(Work[Replay, Finished]):
    """Does replays on the rows of a file, which must be seen wherever that is."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, given: Replay) -> Iterable[Finished]:
        """How the replay ended."""
        yield _attempted(given, self.path, lambda progress: None)

    def lost(self, given: Replay, reason: str) -> Iterable[Finished]:
        """A replay that failed: the others go on."""
        yield Finished(given, error=DIED)


def _replayed(corpus: Labelled, runs: Sequence[Replay], payload: Mapping[str, Any], watch: Watch) -> Iterator[Finished]:
    """Each replay as it ends, on the rows of the corpus, which are made first."""
    processes = payload.get("processes")
    if processes is not None and processes < 1:
        raise ValueError(f"processes is {processes}; it must be 1 or more")

    def prepare(stage: str, done: int, total: int) -> None:
        watch.monitor.report(stage, done, total)
        watch.monitor.stop_if_cancelled()

    path = rows_file(corpus, prepare)
    if any(run.triage for run in runs):
        prepare("reading words", 0, 0)
        words_file(corpus, path)
    with engine_of(payload) as engine:
        if not engine.here:
            yield from engine.map(Replays(path), runs, watch.elsewhere, ordered=False)
            return
    # One core is left to the app and its reader, where there are several.
    watch.processes = min(processes or max(1, (os.cpu_count() or 1) - 1), len(runs))
    if watch.processes == 1:
        yield from (_attempted(run, path, watch.progress) for run in runs)
    else:
        yield from in_processes(runs, ["cpu"] * watch.processes, _work, [path], watch.progress)


def _attempted(run: Replay, path: Path, on_progress: Report) -> Finished:
    return attempted(run, lambda: _timed(run, path, on_progress))


def _timed(run: Replay, path: Path, on_progress: Report) -> dict[str, Any]:
    started = time.monotonic()
    with threadpool_limits(1):  # so small products gain nothing from a second core, which has a replay of its own
        found = replay(run, _material(path), lambda part: on_progress(RunProgress(run, "replaying", part)))
    return {**found, "device": "cpu", "seconds": round(time.monotonic() - started, 3)}


@lru_cache(maxsize=1)
def _material(path: Path) -> Material:
    material, words = Material.load(path), words_beside(path)
    return replace(material, words=Examples.load(words)) if words.exists() else material


def _work(pipe: Connection, place: str, path: Path) -> None:
    serve(pipe, lambda run, report: _attempted(run, path, report))
