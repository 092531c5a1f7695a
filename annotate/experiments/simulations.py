"""Simulations: labelled articles replayed under query strategies."""

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from annotate.experiments.replay import Material, replay
from annotate.experiments.simulation_rows import labelled, rows_file, words_file, words_path
from annotate.experiments.simulation_spec import SETTINGS, SPECS, Replay, parse_spec
from annotate.experiments.simulation_tables import COLUMNS, as_csv, summary_of
from annotate.experiments.studies import Payload, Places, Plan, Report, Runner, StudyKind
from annotate.jobs.monitor import Monitor
from annotate.project.words import count_of
from model.active_learning.screening import Examples


class Replays(Runner):
    """Does replays on the rows of a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def do(self, run: Replay, report: Report) -> dict[str, Any]:
        """The results of a replay."""
        started = time.monotonic()
        with threadpool_limits(1):  # so small products gain nothing from a second core, which has a replay of its own
            found = replay(run, _material(self.path), lambda part: report(part, {}))
        return {**found, "device": "cpu", "seconds": round(time.monotonic() - started, 3)}


def plan_simulation(payload: Payload) -> Plan:
    """The replays of a simulation, with the name of their encoder. `files`: paths, in place of the spec's."""
    simulation = parse_spec(payload["spec"], payload.get("seeds"))
    given = {name: payload[name] for name in ("files", "limit") if payload.get(name) not in (None, [])}
    corpus = labelled({**simulation.corpus, **given}, next((run.encoder for run in simulation.runs), ""))
    runs = [replace(run, encoder=corpus.encoder) for run in simulation.runs]
    # Replays with a random share are other ones since that is drawn in blocks.
    keys = {run: run.key(corpus.sha256, *(["blocks"] if run.random_share else [])) for run in runs}

    def begin(monitor: Monitor) -> tuple[Runner, Places]:
        processes = payload.get("processes")
        if processes is not None and processes < 1:
            raise ValueError(f"processes is {processes}; it must be 1 or more")
        path = rows_file(corpus, monitor.proceed)
        if any(run.triage for run in runs):
            monitor.proceed("reading words")
            words_file(corpus, path)
        # One core is left to the app and its reader, where there are several.
        return Replays(path), lambda: ["cpu"] * (processes or max(1, (os.cpu_count() or 1) - 1))

    return Plan(replace(simulation, runs=runs), corpus.description, keys, begin)


def _counted(corpus: Mapping[str, Any]) -> str:
    return (
        f"{count_of(corpus['articles'], 'article')}, {count_of(corpus['sentences'], 'sentence')}, {corpus['key']:,} key"
    )


SIMULATION = StudyKind(
    name="simulation",
    job="simulate",
    specs=SPECS,
    run=Replay,
    interval="the 95% interval of the mean over the seeds",
    columns=COLUMNS,
    parse=parse_spec,
    plan=plan_simulation,
    counted=_counted,
    table=summary_of,
    as_csv=as_csv,
    shared=SETTINGS,
)


@lru_cache(maxsize=1)
def _material(path: Path) -> Material:
    material, words = Material.load(path), words_path(path)
    return replace(material, words=Examples.load(words)) if words.exists() else material
