"""The figures of several pages: what each draws; what all have in common is in drawing.py."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from annotate.project.words import count_of
from model.training.settings import SelectBy
from pages.parts.shared.drawing import (
    BLUE,
    FULL_SHARE,
    GREY,
    SHARES,
    VERMILLION,
    drawn,
)


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
    """What the validation score of a run with these settings is; runs of the first release knew one alone."""
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
