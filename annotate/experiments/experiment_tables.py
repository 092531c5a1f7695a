"""Tables of experiments: one row for each setting, with the mean and the 95 % interval over its seeds."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotate.articles.table_files import csv_text
from annotate.evaluation.metric_labels import HEADINGS, written
from db.tables.experiments import FinishedRun
from model.evaluation.metrics import Interval
from model.evaluation.summary import mean_interval

# Metric -> heading, in the order of the columns; "mean key" is against the mean key sentence in place of the query,
# "terms" and "hybrid" by the fixed rankings, "learned" by the one that is fitted on the validation articles.
SCORES = ("arp", "mean_average_precision", "precision_at_1", "recall_at_3", "recall_at_5", "mse", "pearson")
METRICS = {
    **{name: HEADINGS[name] for name in SCORES},
    **{f"{ranking}_arp": f"{HEADINGS['arp']} {ranking}" for ranking in ("terms", "hybrid")},
    "learned_arp": f"{HEADINGS['arp']} learned",
    **{f"mean_key_{name}": f"{HEADINGS[name]} mean key" for name in ("arp", "mse", "pearson")},
}
# The reference method's 95 % interval reaches this many standard deviations of the seeds' values to each side.
DEVIATIONS = 2
# The name, the place and the seed are no part of what a row is.
NOT_OF_THE_ROW = ("row", "order", "seed")


@dataclass(frozen=True, slots=True)
class Row:
    """The finished runs of one setting, in the order of their seeds."""

    name: str
    runs: Sequence[FinishedRun]

    def values(self, metric: str) -> list[float]:
        """The metric of each seed; a seed without a value is left out."""
        return [value for run in self.runs if (value := run.metrics.get(metric)) is not None]


@dataclass(frozen=True, slots=True)
class Paired:
    """Two rows on the same articles: R-precision of the second less the first's, averaged over seeds."""

    difference: Interval
    better: int
    equal: int
    worse: int
    articles: Sequence[Mapping[str, Any]]


def by_corpus(runs: Sequence[FinishedRun]) -> dict[str, list[FinishedRun]]:
    """The runs by the hash of their corpus, the one used last first: numbers of two corpora are not compared."""
    found: dict[str, list[FinishedRun]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: -run.id):
        found[run.corpus["sha256"]].append(run)
    return dict(found)


def rows_of(runs: Sequence[FinishedRun]) -> list[Row]:
    """The runs as rows, in the order of their spec; a row is named as by its newest run."""
    groups: dict[str, list[FinishedRun]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: run.id):
        own = {name: value for name, value in run.settings.items() if name not in NOT_OF_THE_ROW}
        groups[json.dumps([run.encoder, own], sort_keys=True)].append(run)
    ordered = sorted(groups.values(), key=lambda group: (group[-1].settings["order"], group[0].id))
    return [Row(group[-1].settings["row"], sorted(group, key=lambda run: run.settings["seed"])) for group in ordered]


def table_of(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """One line a row: name, seeds, and each metric's mean with the half width of its interval, None for one seed."""
    lines = []
    for row in rows:
        line: dict[str, Any] = {"row": row.name, "seeds": len(row.runs)}
        for metric in METRICS:
            values = row.values(metric)
            line[metric] = float(np.mean(values)) if values else None
            line[f"{metric}_interval"] = DEVIATIONS * float(np.std(values, ddof=1)) if len(values) > 1 else None
        lines.append(line)
    return lines


def cells_of(table: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The table as people read it: heading -> mean ± interval as in 0.805 ± 0.008; columns without numbers left out."""
    shown = [metric for metric in METRICS if any(line[metric] is not None for line in table)]
    return [
        {"": line["row"], "seeds": str(line["seeds"])}
        | {METRICS[metric]: _cell(line[metric], line[f"{metric}_interval"]) for metric in shown}
        for line in table
    ]


def _cell(mean: float | None, interval: float | None) -> str:
    if mean is None:
        return "-"
    return written(mean) + ("" if interval is None else f" ± {written(interval)}")


def as_csv(rows: Sequence[Row]) -> str:
    """One line a run: row, seed, encoder, settings, metrics and the time it took."""
    settings = list(dict.fromkeys(name for row in rows for run in row.runs for name in run.settings))
    metrics = list(dict.fromkeys(name for row in rows for run in row.runs for name in run.metrics))
    settings = [name for name in settings if name not in NOT_OF_THE_ROW]
    lines: list[list[Any]] = []
    for row in rows:
        for run in row.runs:
            own = [run.settings.get(name) for name in settings] + [run.metrics.get(name) for name in metrics]
            lines.append([row.name, run.settings["seed"], run.encoder, *own, run.device, run.seconds])
    return csv_text(["row", "seed", "encoder", *settings, *metrics, "device", "seconds"], lines)


def paired(first: Row, second: Row, metric: str = "r_precision") -> Paired:
    """The second row against the first by article, worst change first. ValueError where they share no article."""
    before, after = (_by_article(row, metric) for row in (first, second))
    keys = [key for key in before if key in after]
    if not keys:
        raise ValueError(f"{first.name} and {second.name} have no test article in common")
    articles = [
        {"article": key, "before": before[key], "after": after[key], "difference": after[key] - before[key]}
        for key in keys
    ]
    changes = np.array([article["difference"] for article in articles])
    return Paired(
        mean_interval(changes),
        int((changes > 1e-9).sum()),
        int((np.abs(changes) <= 1e-9).sum()),
        int((changes < -1e-9).sum()),
        sorted(articles, key=lambda article: article["difference"]),
    )


def _by_article(row: Row, metric: str) -> dict[str, float]:
    values: dict[str, list[float]] = defaultdict(list)
    for run in row.runs:
        for article in run.articles:
            values[article["key"]].append(article[metric])
    return {key: float(np.mean(given)) for key, given in values.items()}
