"""Simulations: every replay of a spec that is not stored yet is done and stored, and the table of all is made."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from annotate.experiments.finished_runs import Ledger, Watch, do_missing, run_all
from annotate.experiments.replay import Material, replay
from annotate.experiments.runner import Finished, Report, Runner, RunProgress
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
    """Replays with a random share are other ones since that is drawn in blocks."""
    keys = {run: run.key(corpus.sha256, *(["blocks"] if run.random_share else [])) for run in simulation.runs}
    return Ledger(SimulationRun, simulation.name, keys)


class Replays(Runner):
    """Does replays on the rows of a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def do(self, run: Replay, place: str, report: Report) -> dict[str, Any]:
        """The results of a replay."""
        started = time.monotonic()
        with threadpool_limits(1):  # so small products gain nothing from a second core, which has a replay of its own
            found = replay(run, _material(self.path), lambda part: report(RunProgress(run, "replaying", part)))
        return {**found, "device": "cpu", "seconds": round(time.monotonic() - started, 3)}


def _replayed(corpus: Labelled, runs: Sequence[Replay], payload: Mapping[str, Any], watch: Watch) -> Iterator[Finished]:
    """Each replay as it ends, on the rows of the corpus, which are made first."""
    processes = payload.get("processes")
    if processes is not None and processes < 1:
        raise ValueError(f"processes is {processes}; it must be 1 or more")

    path = rows_file(corpus, watch.monitor.proceed)
    if any(run.triage for run in runs):
        watch.monitor.proceed("reading words")
        words_file(corpus, path)
    # One core is left to the app and its reader, where there are several.
    places = ["cpu"] * (processes or max(1, (os.cpu_count() or 1) - 1))
    yield from run_all(Replays(path), runs, lambda: places, payload, watch)


@lru_cache(maxsize=1)
def _material(path: Path) -> Material:
    material, words = Material.load(path), words_beside(path)
    return replace(material, words=Examples.load(words)) if words.exists() else material
