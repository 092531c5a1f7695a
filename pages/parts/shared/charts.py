"""The figures of several pages: what each draws; what all have in common is in drawing.py."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go

from annotate.project.words import count_of
from model.training.settings import SelectBy
from pages.parts.shared.drawing import (
    BLUE,
    FULL_SHARE,
    GREY,
    HEIGHT,
    SHARES,
    VERMILLION,
    drawn,
    interval,
    name_rows,
    span_of,
)

ROW_PIXELS = 36


def cosine_histogram(histogram: Mapping[str, Sequence[float]]) -> go.Figure:
    """Sentences by cosine to the query and by label, in bins of 0.01, on a logarithmic scale."""
    edges, key, other = histogram["edges"], histogram["key"], histogram["other"]
    used = [i for i, pair in enumerate(zip(key, other, strict=True)) if any(pair)]
    low, high = (max(0, used[0] - 2), used[-1] + 3) if used else (0, len(key))
    figure = go.Figure()
    for label, name, colour in (("other", "not key", GREY), ("key", "key", BLUE)):
        figure.add_bar(
            x=[round(edge + 0.005, 3) for edge in edges[low:high]],
            y=histogram[label][low:high],
            width=0.01,
            name=name,
            marker_color=colour,
            opacity=0.75,
            hovertemplate=name + ": %{y} sentences at cosine %{x:.2f}<extra></extra>",
        )
    figure.update_layout(barmode="overlay", bargap=0)
    # From a half, or a bin of one sentence would have no height.
    most = max(1, *key, *other)
    figure.update_yaxes(type="log", dtick=1, range=[math.log10(0.5), math.log10(most) + 0.2])
    n = f"{count_of(int(sum(key)), 'key sentence')}, {int(sum(other)):,} others"
    return drawn(figure, x="cosine to the query", y="sentences (log scale)", n=n)


def threshold_curves(histogram: Mapping[str, Sequence[float | None]]) -> go.Figure:
    """Share of key sentences found, and share of the sentences over the threshold that are key."""
    figure = go.Figure()
    curves = (("found", "key sentences found", BLUE, "solid"), ("prevalence", "prevalence of key", VERMILLION, "dash"))
    for key, name, colour, dash in curves:
        figure.add_scatter(
            x=histogram["thresholds"],
            y=histogram[key],
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate=name + " %{y:.0%} at cosine ≥ %{x:.2f}<extra></extra>",
        )
    figure.update_yaxes(tickformat=".0%", range=FULL_SHARE)
    n = count_of(int(sum(value or 0 for name in ("key", "other") for value in histogram[name])), "sentence")
    return drawn(figure, x="cosine threshold", y="share of sentences", n=n)


def score_name(settings: Mapping[str, Any]) -> str:
    """What the validation score of a run with these settings is; runs of the first release knew only one."""
    return str(settings.get("select_by", SelectBy.AVERAGE_PRECISION))


def training_curve(history: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> go.Figure:
    """The running mean of the loss by step and, where there was one, the validation score, by its name."""
    score = score_name(settings)
    steps = [entry for entry in history if entry["kind"] == "step"]
    checkpoints = [entry for entry in history if entry["kind"] == "checkpoint"]
    figure = go.Figure()
    figure.add_scatter(
        x=[entry["step"] for entry in steps],
        y=[entry["loss"] for entry in steps],
        name="loss (running mean)",
        line={"color": GREY},
        hovertemplate="step %{x}<br>loss %{y:.4f}<extra></extra>",
    )
    if checkpoints:
        figure.add_scatter(
            x=[entry["step"] for entry in checkpoints],
            y=[entry["score"] for entry in checkpoints],
            name=f"{score} on validation",
            mode="lines+markers",
            yaxis="y2",
            line={"color": BLUE},
            hovertemplate="step %{x}<br>" + score + " %{y:.3f}<extra></extra>",
        )
    figure = drawn(figure, x="optimiser step", y="loss (no unit)", n=f"{count_of(len(steps), 'value')} noted")
    figure.update_yaxes(rangemode="tozero")
    figure.update_xaxes(rangemode="tozero", tickformat=",d")
    figure.update_layout(
        margin_r=60,
        yaxis2={"overlaying": "y", "side": "right", "showgrid": False, "title": score, "visible": bool(checkpoints)}
        | SHARES,
    )
    return figure


@dataclass(frozen=True, slots=True)
class Measured:
    """A row of a figure: a value with its interval, where one is told, and what it is the mean of; None: no value."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    singles: Sequence[float] = ()


def intervals_by_row(rows: Sequence[Measured], title: str, *, y: str, n: str, floor: float | None = None) -> go.Figure:
    """The value of each row with its 95% interval and a dot for each single value, the first row on top; a line at the
    floor."""
    figure = go.Figure()
    singles = [(place, value) for place, row in enumerate(rows) for value in row.singles]
    if singles:
        figure.add_scatter(
            x=[value for _, value in singles],
            y=[place for place, _ in singles],
            mode="markers",
            name="one seed",
            marker={"color": GREY, "size": 7, "symbol": "circle-open", "line": {"width": 1.5}},
            hovertemplate=title + " %{x:.3f}, one seed<extra></extra>",
        )
    known = [(place, row, row.value) for place, row in enumerate(rows) if row.value is not None]
    for name, has in (("95% interval", True), ("no interval", False)):
        if some := [each for each in known if (each[1].low is not None) == has]:
            ends = [[v for *_, v in some], *([getattr(row, end) for _, row, _ in some] for end in ("low", "high"))]
            figure.add_scatter(
                x=ends[0],
                y=[place for place, *_ in some],
                mode="markers",
                name=f"mean over seeds, {name}" if singles else name,
                marker={"color": BLUE, "size": 11, "symbol": "diamond" if has else "diamond-open"},
                error_x=interval(ends, BLUE, 6) if has else None,
                text=[escape(row.name) for _, row, _ in some],
                hovertemplate="%{text}<br>" + title + " %{x:.3f}<extra></extra>",
            )
    if floor:
        figure.add_vline(floor, line={"color": GREY, "dash": "dash"}, annotation_text="floor")
    name_rows(figure, [row.name for row in rows])
    bounds = [bound for _, row, value in known for bound in (value, row.low, row.high)]
    span = span_of([*(value for _, value in singles), *bounds, floor])
    figure.update_xaxes(**span.axis)
    height = max(HEIGHT - 120, 120 + ROW_PIXELS * len(rows))
    return drawn(figure, x=span.title(title), y=y, n=n, height=height)
