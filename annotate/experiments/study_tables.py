"""Rows of studies: the finished runs of one setting over its seeds, their means, and a table of these as texts."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotate.evaluation.metric_labels import written
from annotate.experiments.spec_files import Run
from db.tables import FinishedRun

# The name, the place and the seed are no part of what a row is.
NOT_OF_THE_ROW = ("row", "order", "seed")
Compared = tuple[Any, ...]  # the hash of a corpus, and the values of the settings that its rows share


@dataclass(frozen=True, slots=True)
class Row:
    """The finished runs of one setting, one of each seed, in the order of their seeds."""

    name: str
    runs: Sequence[FinishedRun]

    def values(self, metric: str) -> list[float]:
        """The metric of each seed; a seed without a value is left out."""
        return [value for run in self.runs if (value := run.metrics.get(metric)) is not None]

    def means(self, metrics: Iterable[str], half_width: Callable[[Sequence[float]], float | None]) -> dict[str, Any]:
        """The row's line of a table: row, seeds, each metric's mean and, as METRIC_interval, half its interval."""
        line: dict[str, Any] = {"row": self.name, "seeds": len(self.runs)}
        for metric in metrics:
            values = self.values(metric)
            line[metric] = float(np.mean(values)) if values else None
            line[f"{metric}_interval"] = half_width(values)
        return line


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: how its numbers are written. One that says `none` where it has no number is always shown."""

    heading: str
    number: Callable[[float], str] = written
    none: str = ""


def by_corpus(runs: Sequence[FinishedRun], shared: Sequence[str] = ()) -> dict[Compared, list[FinishedRun]]:
    """The runs that may be compared, those used last first: of one corpus, with the same values of `shared` settings.

    A corpus is known by the hash of the rows that were made of it, where there are such, which covers the encoder.
    """
    found: dict[Compared, list[FinishedRun]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: -run.id):
        sha256 = run.corpus.get("rows_sha256", run.corpus["sha256"])
        found[(sha256, *(run.settings.get(name) for name in shared))].append(run)
    return dict(found)


def rows_of(runs: Sequence[FinishedRun], run_type: type[Run] = Run) -> list[Row]:
    """The runs of a type as rows, in the order of their spec; a row is named as by its newest run."""
    groups: dict[str, list[FinishedRun]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: run.id):
        own = {name: value for name, value in run_type.telling(run.settings).items() if name != "seed"}
        groups[json.dumps([run.encoder, own], sort_keys=True)].append(run)
    ordered = sorted(groups.values(), key=lambda group: (group[-1].settings["order"], group[0].id))
    return [Row(group[-1].settings["row"], _by_seed(group)) for group in ordered]


def _by_seed(runs: Sequence[FinishedRun]) -> list[FinishedRun]:
    """The last run of each seed, in their order: it was done again where what it depends on changed."""
    last = {run.settings["seed"]: run for run in runs}
    return [last[seed] for seed in sorted(last)]


def cells_of(table: Sequence[Mapping[str, Any]], columns: Mapping[str, Column]) -> list[dict[str, str]]:
    """The table as people read it: heading -> mean ± interval as in 0.805 ± 0.008; columns without numbers left out."""
    shown = {name: own for name, own in columns.items() if own.none or any(line[name] is not None for line in table)}
    return [
        {"": line["row"], "seeds": str(line["seeds"])}
        | {own.heading: _cell(own, line[name], line.get(f"{name}_interval")) for name, own in shown.items()}
        for line in table
    ]


def _cell(column: Column, mean: float | None, interval: float | None) -> str:
    if mean is None:
        return column.none or "-"
    return column.number(mean) + ("" if interval is None or column.number is not written else f" ± {written(interval)}")
