"""Tables of experiments: one row for each setting, with the mean and the 95% interval over its seeds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from annotate.articles.table_files import csv_text
from annotate.evaluation.metric_labels import HEADINGS
from annotate.experiments.study_tables import NOT_OF_THE_ROW, Column, Row
from model.evaluation.intervals import Estimate
from model.evaluation.summary import mean_interval

if TYPE_CHECKING:
    import pandas as pd

# Metric -> heading, in the order of the columns. "mean key" takes the mean key sentence in place of the query. "terms"
# and "hybrid" are the fixed rankings; "learned" is fitted on the validation articles.
SCORES = ("arp", "mean_average_precision", "precision_at_1", "recall_at_3", "recall_at_5", "mse", "pearson")
METRICS = {
    **{name: HEADINGS[name] for name in SCORES},
    **{f"{ranking}_arp": f"{HEADINGS['arp']} {ranking}" for ranking in ("terms", "hybrid")},
    "learned_arp": f"{HEADINGS['arp']} learned",
    **{f"mean_key_{name}": f"{HEADINGS[name]} mean key" for name in ("arp", "mse", "pearson")},
}
COLUMNS = {name: Column(heading) for name, heading in METRICS.items()}
# The reference method's 95% interval reaches this many standard deviations of the seeds' values to each side.
DEVIATIONS = 2


def table_of(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """One line a row: name, seeds, and each metric's mean with the half width of its interval, None for one seed."""
    return [row.means(METRICS, _deviations) for row in rows]


def _deviations(values: Sequence[float]) -> float | None:
    return DEVIATIONS * float(np.std(values, ddof=1)) if len(values) > 1 else None


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


def paired(first: Row, second: Row) -> "tuple[pd.DataFrame, Estimate]":
    """R-precision before and after, and their difference, by the article's key, averaged over seeds, the worst change
    first; and the mean difference with its interval.

    Raises ValueError where the rows share no article.
    """
    import pandas as pd  # noqa: PLC0415 (takes half a second to import)

    before, after = (
        pd.DataFrame([article for run in row.runs for article in run.articles]).groupby("key")["r_precision"].mean()
        for row in (first, second)
    )
    found = pd.DataFrame({"before": before, "after": after}).dropna()
    if found.empty:
        raise ValueError(f"{first.name} and {second.name} have no test article in common")
    found = found.assign(difference=found["after"] - found["before"]).sort_values("difference")
    return found, mean_interval(found["difference"])
