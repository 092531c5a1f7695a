"""Every figure of the app: titled axes, of how many it is, ticks that are read, no interval of one seed, true signs."""

import inspect
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import pages.parts
from annotate.evaluation.metric_labels import change_written, written
from annotate.experiments.study_tables import Row
from annotate.retraining.advice import Point, SplitChange
from annotate.review.progress import Missed, ReviewProgress
from annotate.review.stopping import Stop
from annotate.team.agreement import Pair, Period
from db.tables import FinishedRun
from model.agreement import Agreement, Coefficient, PairAgreement
from model.evaluation.intervals import Estimate
from pages.parts.evaluation import report_charts
from pages.parts.evaluation.comparison_card import change_figure
from pages.parts.experiments.experiment_view import differences, metric_by_row
from pages.parts.experiments.simulation_view import VIEWS, learning_curve_against_random
from pages.parts.retraining.retrain_advice import changes_by_split, learning_curve
from pages.parts.review.progress_tables import found_curve
from pages.parts.shared import charts
from pages.parts.shared.drawing import span_of
from pages.parts.team.agreement_charts import over_time, pair_matrix

EDGES = [0.0, 0.01, 0.02]
HISTOGRAM = {
    "edges": EDGES,
    "key": [0, 3, 1],
    "other": [5, 2, 0],
    "thresholds": EDGES,
    "found": [1.0, 1.0, 0.25],
    "prevalence": [0.4, 0.5, 1.0],
}
ONE_SEED, TWO_SEEDS = {"plain": [0.583]}, {"more": [0.6, 0.62]}
RUN = [{"kind": "step", "step": 1, "loss": 2.0}, {"kind": "checkpoint", "step": 1, "score": 0.4}]
BINS = [{"mean_probability": 0.2, "share": 0.1, "share_low": 0.0, "share_high": 0.3, "count": 9}]
SPLITS = [SplitChange("train", key=2, changed=1), SplitChange("test", not_key=3)]
POINTS = [Point("v1", 40, Estimate(0.5, 0.4, 0.6))]
PLACES = [
    {"name": "abstract", "key": 3, "predicted": 4, "true": 2},
    {"name": "body", "key": 1, "predicted": 0, "true": 0},
]
MEAN = {"mean": 0.5, "low": 0.4, "high": 0.6}
PROJECTION = {
    "panels": [{"version": "v1", "x": [0.0, 1.0], "y": [0.0, 1.0], "query_x": [0.5], "query_y": [0.5]}],
    "article": [1, 1],
    "position": [0, 1],
    "key": [0, 1],
}
PREDICTIONS = {"outcome": ["true", "wrong"], "cosine": [0.7, 0.4], "article": [1, 1], "position": [0, 1]}
ARTICLES = {"id": [1, 2], "r_precision": [0.0, 1.0], "parent": [0.5, 0.5]}
PROGRESS = ReviewProgress(
    pool=3, articles=[1, 2], key=[0, 2], by_lot=[True, False], elsewhere=0, draws=1, unfinished_draws=0,
    total=Estimate(3, 2, 5), unfound=Estimate(1, 0, 3), lacking="", without=0, missed=Missed(None, 0, 2),
    stop=Stop(False, 2, 1, 0, None, True),
)  # fmt: skip


def pair(kappa: float | None, units: int) -> Pair:
    none = Coefficient(None)
    return Pair("Anna", "Ben", PairAgreement(units, 3, ((1, 0), (0, 1)), none, none, Coefficient(kappa)), low=False)


def period(day: int) -> Period:
    alpha = Coefficient(0.5, 0.3, 0.7)
    return Period(date(2026, 3, day), Agreement(9, 3, alpha, alpha, alpha, alpha))


def replayed(seeds: int) -> go.Figure:
    curve = pd.DataFrame([[0.2, 0.9999999999, 1.0]] * seeds, columns=[1, 2, 3]).T
    risen = curve + np.arange(seeds) / 100  # above the other by as much as the number of the seed
    return learning_curve_against_random("Score", curve, risen, VIEWS[0], 0.9)


def experiment(rows: dict[str, list[float]]) -> go.Figure:
    runs = {name: [FinishedRun(metrics={"arp": value}) for value in values] for name, values in rows.items()}
    return metric_by_row([Row(name, own) for name, own in runs.items()], "arp")


# By the function that makes it.
FIGURES: dict[Callable[..., go.Figure], Callable[[], go.Figure]] = {
    change_figure: lambda: change_figure("v1", Estimate(0.05, -0.01, 0.11), 24),
    charts.cosine_histogram: lambda: charts.cosine_histogram(HISTOGRAM),
    charts.threshold_curves: lambda: charts.threshold_curves(HISTOGRAM),
    charts.training_curve: lambda: charts.training_curve(RUN, {}),
    charts.intervals_by_row: lambda: charts.intervals_by_row(
        [charts.Measured("MiniLM & words", 0.5, 0.4, 0.6)], "Task, F1", y="encoder", n="120 tested items", floor=0.3
    ),
    report_charts.cosines_by_outcome: lambda: report_charts.cosines_by_outcome(PREDICTIONS),
    report_charts.reliability_plot: lambda: report_charts.reliability_plot(
        {"reliability_before": BINS, "reliability_after": BINS}
    ),
    report_charts.cut_at: lambda: report_charts.cut_at(charts.cosine_histogram(HISTOGRAM), 0.01),
    report_charts.sentence_map: lambda: report_charts.sentence_map(PROJECTION),
    report_charts.r_precision_sorted: lambda: report_charts.r_precision_sorted(ARTICLES, {1: "One", 2: "Two"}, "v0"),
    report_charts.shares_by_place: lambda: report_charts.shares_by_place(PLACES, "part of the article"),
    found_curve: lambda: found_curve(PROGRESS),
    metric_by_row: lambda: experiment(ONE_SEED | TWO_SEEDS),
    differences: lambda: differences(pd.DataFrame({"before": [0.5], "after": [0.2], "difference": [-0.3]}, ["a"])),
    learning_curve_against_random: lambda: replayed(3),
    pair_matrix: lambda: pair_matrix([pair(-0.32, 12)]),
    over_time: lambda: over_time([period(2), period(9)], by_month=False),
    changes_by_split: lambda: changes_by_split(SPLITS),
    learning_curve: lambda: learning_curve(POINTS, POINTS[0]),
}
# What plotly reads as a format, a colour or an address, no person as text.
FORMATS = {"tickformat", "hovertemplate", "texttemplate", "colorscale", "template"}


def json_of(figure: go.Figure) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(figure.to_json())
    return found


def axes(figure: go.Figure, letter: str) -> list[dict[str, Any]]:
    layout = json_of(figure)["layout"]
    return [layout[name] for name in layout if re.fullmatch(rf"{letter}axis\d*", name)]


def texts(value: Any) -> Iterator[str]:
    """Every text of a figure that people read."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            if name not in FORMATS:
                yield from texts(one)


def makers() -> set[Callable[..., go.Figure]]:
    """Every public function of the pages' parts that returns a figure."""
    found = set()
    for module in pkgutil.walk_packages(pages.parts.__path__, "pages.parts."):
        path = Path(module.module_finder.path) / f"{module.name.rpartition('.')[2]}.py"
        if path.is_file() and "-> go.Figure" in path.read_text() and path.name != "drawing.py":
            for name, function in inspect.getmembers(import_module(module.name), inspect.isfunction):
                own = function.__module__ == module.name and not name.startswith("_")
                if own and function.__annotations__.get("return") is go.Figure:
                    found.add(function)
    return found


every_figure = pytest.mark.parametrize("make", FIGURES.values(), ids=[maker.__name__ for maker in FIGURES])


def test_every_figure_is_here():
    assert makers() == set(FIGURES)


@every_figure
def test_both_axes_have_titles_and_one_says_of_how_many_the_figure_is(make):
    for letter in "xy":
        titles = [axis.get("title", {}).get("text") for axis in axes(make(), letter) if axis.get("visible", True)]
        assert titles and all(titles)
    assert all(re.search(r"n = (\S.*\d|\d|sentences that both)", axis["title"]["text"]) for axis in axes(make(), "x"))


@every_figure
def test_numbers_are_written_one_way(make):
    for text in texts(json_of(make())):
        assert not re.search(r"(?<![\w.])-\d", text), f"a hyphen for a minus: {text}"
        assert not re.search(r"(?<!\d)\.\d", text), f"no zero before the point: {text}"
        assert not re.search(r"\d\.\d{5}", text), f"more digits than anybody reads: {text}"


@every_figure
def test_an_axis_that_leaves_out_zero_says_so(make):
    figure = make()
    for axis in (*axes(figure, "x"), *axes(figure, "y")):
        low, high = axis.get("range") or [0, 1]
        numbers = isinstance(low, (int, float)) and axis.get("type") != "log" and low < high  # else names, or days
        if numbers and low > 0:
            assert f"axis from {low:.1f}"[:-1] in axis["title"]["text"]


@every_figure
def test_what_is_called_an_interval_is_drawn_and_has_a_width(make):
    figure = json_of(make())
    bars = [trace[name]["array"] for trace in figure["data"] for name in ("error_x", "error_y") if name in trace]
    bands = [trace for trace in figure["data"] if trace.get("fill") == "toself"]
    assert all(all(width for width in bar) for bar in bars)
    assert any("interval" in text for text in texts(figure)) == bool(bars or bands)


def test_one_seed_has_no_interval_and_says_so():
    for figure in (experiment(ONE_SEED), replayed(1)):
        told = json_of(figure)
        assert not any("error_x" in trace or "fill" in trace for trace in told["data"])
        assert "95%" not in " ".join(texts(told)) and "1 seed" in " ".join(texts(told))
    assert "mean over seeds, no interval" in [trace.name for trace in experiment(ONE_SEED).data]


def test_seeds_are_counted_in_whole_ticks_and_scores_in_few_digits():
    (x,), (y,) = axes(replayed(3), "x"), axes(replayed(3), "y")
    assert (x["dtick"], x["tickformat"], x["rangemode"]) == (1, ",d", "tozero")
    assert y["dtick"] >= 0.01 and y["tickformat"] == ".2f"


def test_kappa_has_a_colour_for_each_side_of_nothing_and_n_in_its_cells():
    (heat,) = json_of(pair_matrix([pair(-0.32, 12)]))["data"]
    assert (heat["zmin"], heat["zmid"], heat["zmax"]) == (-1, 0, 1)
    assert heat["text"][0][1] == "−0.32<br>n = 12"
    ends = [heat["colorscale"][end][1] for end in (0, -1)]
    assert ends[0][1:3] > ends[0][5:7] and ends[1][1:3] < ends[1][5:7]  # red, blue


@pytest.mark.parametrize(
    ("values", "low", "cut", "title"),
    [
        ([0.2, 0.9], -0.03 * 0.956, False, "ARP"),
        ([0.60, 0.62], 0.56, True, "ARP, axis from 0.56"),
        ([1.0, 1.0], 0.95, True, "ARP, axis from 0.95"),
        ([-0.2, 0.3], -0.24, False, "ARP"),
    ],
)
def test_a_span_begins_at_nothing_or_says_where(values, low, cut, title):
    span = span_of(values)
    assert (round(span.low, 6), span.cut, span.title("ARP")) == (round(low, 6), cut, title)


def test_differences_have_a_sign_and_nothing_has_none():
    assert (written(-0.0001), written(0.5834), change_written(-0.0004, 2)) == ("0.000", "0.583", "0.00")
