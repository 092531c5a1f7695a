"""The figures of several pages: what each draws; what all have in common is in drawing.py."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from annotate.project.words import count_of
from model.training.settings import SelectBy
from pages.parts.shared.drawing import (
    BLUE,
    EARLIER,
    FULL_SHARE,
    GREEN,
    GREY,
    HEIGHT,
    ORANGE,
    PALE,
    SHARES,
    VERMILLION,
    drawn,
    interval,
)


def arp_by_version(rows: Sequence[Mapping[str, Any]]) -> go.Figure:
    """ARP with its bootstrap interval by version, one colour a ranking; grey where `since` says that labels changed.

    rows: version, ranking, since, metrics.
    """
    figure = go.Figure()
    for ranking, colour, symbol in (
        ("cosine", BLUE, "circle"),
        ("terms", GREEN, "square"),
        ("hybrid", ORANGE, "diamond"),
        ("learned", VERMILLION, "triangle-up"),
        ("llm", GREY, "x"),
    ):
        for old in (False, True):
            chosen = [row for row in rows if row["ranking"] == ranking and bool(row["since"]) is old]
            if not chosen:
                continue
            name, shade = (f"{ranking}, {EARLIER}", PALE) if old else (ranking, colour)
            ends = [[row[name] for row in chosen] for name in ("arp", "arp_low", "arp_high")]
            figure.add_scatter(
                x=[escape(row["version"]) for row in chosen],
                y=ends[0],
                mode="markers",
                name=name,
                offsetgroup=ranking,
                marker={"color": shade, "size": 11, "symbol": symbol},
                error_y=interval(ends, shade, 6),
                customdata=[f", {row['since']}" if old else "" for row in chosen],
                hovertemplate="%{x}, " + ranking + "<br>ARP %{y:.3f}%{customdata}<extra></extra>",
            )
    figure.update_xaxes(categoryorder="array", categoryarray=[escape(row["version"]) for row in rows])
    figure.update_yaxes(**SHARES)
    figure.update_layout(scattermode="group", scattergap=0.6)  # side by side where the values are equal
    articles = max((row["articles"] for row in rows), default=0)
    return drawn(figure, x="model version", y="Average R-Precision (95 % interval)", n=count_of(articles, "article"))


def r_precision_by_article(before: Mapping[str, float], after: Mapping[str, float], names: Sequence[str]) -> go.Figure:
    """R-precision of each article under two versions, on one line each; articles in the order of `after`."""
    order = sorted(after, key=lambda article: (after[article], before.get(article, 0)))
    figure = go.Figure()
    for values, name, colour, symbol in ((before, names[0], GREY, "circle-open"), (after, names[1], BLUE, "circle")):
        figure.add_scatter(
            x=[values.get(article) for article in order],
            y=list(range(len(order))),
            mode="markers",
            name=escape(name),
            marker={"color": colour, "size": 9, "symbol": symbol, "line": {"width": 2}},
            text=[escape(article) for article in order],
            hovertemplate="%{text}<br>R-precision %{x:.2f}<extra></extra>",
        )
    labels = [escape(article if len(article) < 46 else article[:45] + "…") for article in order]
    shown = labels if len(order) <= 60 else [""] * len(order)
    figure.update_yaxes(tickmode="array", tickvals=list(range(len(order))), ticktext=shown, automargin=True)
    figure.update_xaxes(**SHARES)
    height = max(HEIGHT, 100 + 18 * min(len(order), 60))
    return drawn(figure, x="R-precision", y="test article", n=count_of(len(order), "article"), height=height)


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
