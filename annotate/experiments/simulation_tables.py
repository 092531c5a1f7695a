"""What simulations came to: curves with bands, and one line for each strategy and reading."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from annotate.articles.table_files import csv_text
from annotate.evaluation.metric_labels import change_written, interval_text
from annotate.experiments.replay import FOUND_AFTER, MILESTONES, SHARES
from annotate.experiments.simulation_spec import RANDOM, WITH_TRIAGE, reading_name
from annotate.experiments.study_tables import Column, Row
from model.active_learning.acquisition import strategy_label
from model.evaluation.discovery import first_reaching, smoothed

if TYPE_CHECKING:
    import pandas as pd

GOAL = 0.95  # of the ARP with all labels
WINDOW = 5  # points of the mean curve that are averaged before it is asked where it reaches the goal
LEVEL = 0.95
SHOWN = (15, 50, 100)  # of MILESTONES
# Metrics that are averaged over the replays of all seeds.
MEANS = (
    "cold_arp",
    *(f"arp_{number}" for number in MILESTONES),
    "full_arp",
    "area",
    *(f"found_{number}" for number in FOUND_AFTER),
    *(f"recall_{share}" for share in SHARES),
    "wss_95",
    "atd",
)


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _share(value: float) -> str:
    return f"{value:.0%}"


COLUMNS = {
    "cold_arp": Column("ARP cold"),
    **{f"arp_{number}": Column(f"after {number}") for number in SHOWN},
    "full_arp": Column("all labels"),
    "articles": Column("articles to 95%", _whole, none="never"),
    "labels": Column("sentences to 95%", _whole, none="never"),
    "labels_of_full": Column("sentences, of random in full", _share),
    "articles_of_full": Column("articles, of random in full", _share),
    "labels_of_same": Column("sentences, of random read so", _share),
    "area": Column("mean ARP"),
    **{f"found_{number}": Column(f"key found after {number}") for number in FOUND_AFTER},
    **{f"recall_{share}": Column(f"recall@{share}%") for share in SHARES},
    "wss_95": Column("WSS@95"),
    "atd": Column("ATD, articles", _whole),
}


def curve_of(row: Row) -> "pd.DataFrame":
    """labels, found (key sentences), recall of the pool's, arp and cold_arp, each with a column a seed.

    A line for each number of articles that all replays have; nan where a seed has no value there.
    """
    import pandas as pd  # noqa: PLC0415 (takes half a second to import)

    points = {run.settings["seed"]: pd.DataFrame(run.history).set_index("articles").astype(float) for run in row.runs}
    keys = {run.settings["seed"]: run.metrics["pool_keys"] for run in row.runs}
    with_recall = {seed: own.assign(recall=own["found"] / keys[seed]) for seed, own in points.items()}
    return pd.concat(with_recall, axis=1, join="inner").swaplevel(axis=1)


def against_random(row: Row, random: Row, name: str) -> "tuple[pd.DataFrame, pd.DataFrame]":
    """A value of the curves of a strategy and of the random order, with the articles and seeds that both have."""
    one, other = curve_of(row)[name].align(curve_of(random)[name], join="inner")
    return one, other


def difference_half_width(one: "pd.DataFrame", other: "pd.DataFrame") -> "pd.Series":
    """Half the 95% interval of the mean difference over the seeds, at each number of articles; nan for one seed."""
    change = one - other
    return change.sem(axis=1) * scipy.special.stdtrit(change.count(axis=1) - 1, (1 + LEVEL) / 2)


def label_of(row: Row) -> str:
    """What people call the strategy of a row."""
    settings = row.runs[0].settings
    return strategy_label(settings["strategy"]) + (WITH_TRIAGE if settings.get("triage") else "")


def is_random(row: Row) -> bool:
    """Whether a row is the random order, which the others are measured against."""
    return label_of(row) == strategy_label(RANDOM)


def verdict_in_words(rows: Sequence[Row]) -> str:
    """Whether any strategy beats the random order, of rows with one reading: by mean ARP over the seeds that both have.

    Each of n strategies is asked for more than 1 - .05 / n certainty (Bonferroni): one in twenty would win by chance.
    """
    random = next((row for row in rows if is_random(row)), None)
    others = [row for row in rows if not is_random(row)]
    if random is None or not others:
        return "Run the random order and another strategy to see whether that one helps."
    areas = {run.settings["seed"]: run.metrics.get("area") for run in random.runs}
    better, known = [], False
    for row in others:
        pairs = [(run.metrics.get("area"), areas.get(run.settings["seed"])) for run in row.runs]
        differences = [own - other for own, other in pairs if own is not None and other is not None]
        half = interval(differences, 1 - (1 - LEVEL) / len(others))
        if half is not None:
            known, mean = True, float(np.mean(differences))
            if mean - half > 0:
                gain = interval_text(mean, mean - half, mean + half, change_written)
                better.append(f"{label_of(row)}, mean ARP {gain}")
    if not known:
        return "One seed cannot tell whether a strategy beats random: run more."
    if not better:
        return "On these labels no strategy beats random."
    return f"On these labels {'these beat' if len(better) > 1 else 'this beats'} random: {'; '.join(better)}."


def interval(values: Sequence[float] | np.ndarray, level: float = LEVEL) -> float | None:
    """Half the interval of a mean over seeds by Student's t; None for fewer than two values. nan are left out."""
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    if len(known) < 2:
        return None
    return float(scipy.special.stdtrit(len(known) - 1, (1 + level) / 2) * known.std(ddof=1) / np.sqrt(len(known)))


def summary_of(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """One line a row: strategy, reading, seeds, means over the seeds with half their interval, the way to the goal.

    `articles` and `labels` are those at which the mean curve, smoothed over WINDOW points, first reaches GOAL of the
    mean ARP with all labels; None if never. `..._of_full` are shares of what the random order read in full needed,
    `..._of_same` of the random order with the same reading; None without those.
    """
    lines = [_line(row) for row in rows]
    for line in lines:
        for name, reading in (("full", None), ("same", line["proposals"])):
            others = [o for o in lines if o["strategy"] == RANDOM and o["proposals"] == reading]
            for count in ("labels", "articles"):
                needed = others[0][count] if others else None
                known = bool(needed) and line[count] is not None  # none where the cold head is as good already
                line[f"{count}_of_{name}"] = line[count] / needed if known and needed else None
    return lines


def _line(row: Row) -> dict[str, Any]:
    settings = row.runs[0].settings
    line = row.means(MEANS, interval) | {name: settings[name] for name in ("strategy", "proposals")}
    curve = curve_of(row)
    learnt = curve[curve.index >= settings["seed_articles"]]
    learnt = learnt[learnt["arp"].notna().any(axis=1)]  # at the end nothing may be left to measure on
    reached = None
    if line["full_arp"] is not None and len(learnt):
        reached = first_reaching(smoothed(learnt["arp"].mean(axis=1), WINDOW), GOAL * line["full_arp"])
    for name, counts in (("articles", learnt.index), ("labels", learnt["labels"].mean(axis=1).to_numpy())):
        line[name] = None if reached is None else float(counts[reached])
    return line


def as_csv(rows: Sequence[Row]) -> str:
    """One line a point of each replay's curve."""
    names = ("articles", "labels", "found", "recall", "arp", "cold_arp")
    lines: list[list[Any]] = []
    for row in rows:
        for run in row.runs:
            own = [label_of(row), reading_name(run.settings["proposals"]), run.settings["seed"]]
            for point in run.history:
                given = point | {"recall": point["found"] / run.metrics["pool_keys"]}
                lines.append([*own, *(given[name] for name in names)])
    return csv_text(["strategy", "reading", "seed", *names], lines)
