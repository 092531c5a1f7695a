"""The figures of a report. Points carry [article id, sentence position], so that a click can lead to the review."""

from collections.abc import Mapping, Sequence
from html import escape
from textwrap import shorten
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from annotate.project.words import count_of
from pages.parts.shared.drawing import (
    BLUE,
    FEW_TICKS,
    FULL_SHARE,
    GREEN,
    GREY,
    ORANGE,
    SHARES,
    VERMILLION,
    drawn,
    interval,
)

OUTCOMES = {  # colour and symbol: the outcome is told by both
    "true": (BLUE, "circle"),
    "correct after the audit": (GREEN, "diamond"),
    "inconclusive": (ORANGE, "square"),
    "wrong": (VERMILLION, "x"),
    "not audited": (GREY, "circle-open"),
    "missed key sentence": (BLUE, "triangle-up-open"),
}
MOST_POINTS = 1_500
COUNTED = {"key": "key sentence", "predicted": "prediction"}


def cosines_by_outcome(predictions: Mapping[str, Sequence[Any]], most: int = 400) -> go.Figure:
    """Each prediction's cosine by its outcome, spread out so that points stay apart; at most `most` an outcome."""
    figure = go.Figure()
    present = [name for name in OUTCOMES if name in set(predictions["outcome"])]
    for row, name in enumerate(present):
        colour, symbol = OUTCOMES[name]
        chosen = [i for i, outcome in enumerate(predictions["outcome"]) if outcome == name]
        chosen = chosen[:: max(1, -(-len(chosen) // most))]
        figure.add_scatter(
            x=[predictions["cosine"][i] for i in chosen],
            y=[row + (number * 7 % 11 - 5) / 22 for number in range(len(chosen))],
            customdata=[[predictions["article"][i], predictions["position"][i]] for i in chosen],
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 8, "opacity": 0.75},
            hovertemplate=name + ": cosine %{x:.3f}<br>article %{customdata[0]}, sentence %{customdata[1]}"
            "<extra></extra>",
        )
    n, height = count_of(len(predictions["cosine"]), "prediction"), 120 + 52 * max(2, len(present))
    figure = drawn(figure, x="cosine to the query", y="outcome", n=n, height=height)
    figure.update_layout(showlegend=False)
    ticks = list(range(len(present)))
    figure.update_yaxes(tickvals=ticks, ticktext=present, range=[len(present) - 0.4, -0.6], zeroline=False)
    return figure


def reliability_plot(calibration: Mapping[str, Any]) -> go.Figure:
    """Share of key sentences against the probability that was given, before and after calibration."""
    figure = go.Figure()
    line = {"color": GREY, "dash": "dot", "width": 1.5}
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", name="as it should be", line=line, hoverinfo="skip")
    for column, name, colour, symbol in (
        ("reliability_before", "before", ORANGE, "diamond-open"),
        ("reliability_after", "after calibration", BLUE, "circle"),
    ):
        bins = calibration[column]
        ends = [[each[end] for each in bins] for end in ("share", "share_low", "share_high")]
        figure.add_scatter(
            x=[each["mean_probability"] for each in bins],
            y=ends[0],
            customdata=[[each["count"]] for each in bins],
            mode="lines+markers",
            name=name,
            line={"color": colour, "width": 1},
            marker={"color": colour, "size": 10, "symbol": symbol, "line": {"width": 2}},
            error_y=interval(ends, colour, 4),
            hovertemplate="given %{x:.2f}, %{y:.0%} key of %{customdata[0]:,} sentences, " + name + "<extra></extra>",
        )
    n = count_of(sum(each["count"] for each in calibration["reliability_after"]), "sentence")
    y = "share that is key (95% interval)"
    figure = drawn(figure, x="probability of key that was given", y=y, n=n)
    figure.update_xaxes(**SHARES)
    return figure.update_yaxes(range=FULL_SHARE, tickformat=".0%")


def cut_at(figure: go.Figure, cut_off: float) -> go.Figure:
    """A figure over cosines with the cut-off drawn in."""
    return figure.add_vline(x=cut_off, line={"color": VERMILLION, "dash": "dot", "width": 2})


def sentence_map(projection: Mapping[str, Any]) -> go.Figure:
    """One t-SNE panel a version, the same sentences in each: not key, key, and the query or queries."""
    panels = projection["panels"]
    moments = ["before: ", "after: "] if len(panels) == 2 else [""]
    figure = make_subplots(
        cols=len(panels),
        subplot_titles=[m + escape(p["version"]) for m, p in zip(moments, panels, strict=True)],
        horizontal_spacing=0.06,
    )
    places = list(zip(projection["article"], projection["position"], strict=True))
    star = 14 if len(panels[0]["query_x"]) == 1 else 9
    for column, panel in enumerate(panels, start=1):
        for key, name, colour, size, opacity in ((0, "not key", GREY, 4, 0.55), (1, "key", BLUE, 7, 0.85)):
            chosen = [i for i, label in enumerate(projection["key"]) if label == key]
            figure.add_scatter(
                x=[panel["x"][i] for i in chosen],
                y=[panel["y"][i] for i in chosen],
                customdata=[places[i] for i in chosen],
                mode="markers",
                name=name,
                legendgroup=name,
                showlegend=column == 1,
                marker={"color": colour, "size": size, "opacity": opacity},
                hovertemplate=name + "<br>article %{customdata[0]}, sentence %{customdata[1]}<extra></extra>",
                row=1,
                col=column,
            )
        figure.add_scatter(
            x=panel["query_x"],
            y=panel["query_y"],
            mode="markers",
            name="query",
            legendgroup="query",
            showlegend=column == 1,
            marker={"color": VERMILLION, "size": star, "symbol": "star", "line": {"width": 1, "color": "white"}},
            hovertemplate="query<extra></extra>",
            row=1,
            col=column,
        )
    n = count_of(len(places), "sentence")
    figure = drawn(figure, x="t-SNE 1, no unit", y="t-SNE 2, no unit", n=n, height=520, margin={"b": 90})
    figure.update_layout(legend={"y": -0.14, "yanchor": "top"})
    bare = {"showticklabels": False, "showgrid": False, "zeroline": False}
    return figure.update_xaxes(**bare).update_yaxes(**bare)


def r_precision_sorted(
    articles: Mapping[str, Sequence[Any]], titles: Mapping[int, str], parent: str | None
) -> go.Figure:
    """R-precision of each article, the worst first, together with the parent's where there is one."""
    order = sorted(range(len(articles["id"])), key=lambda i: (articles["r_precision"][i], articles["id"][i]))
    # More points than pixels only make the browser slow: of many articles every so-manieth is drawn.
    ranks = range(1, len(order) + 1)[:: max(1, -(-len(order) // MOST_POINTS))]
    order = [order[rank - 1] for rank in ranks]
    figure = go.Figure()
    lines = [("parent", parent, GREY, "circle-open"), ("r_precision", "this version", BLUE, "circle")]
    for column, name, colour, symbol in lines:
        if not name or not articles[column]:
            continue
        figure.add_scatter(
            x=list(ranks),
            y=[articles[column][i] for i in order],
            customdata=[[articles["id"][i]] for i in order],
            text=[escape(shorten(titles.get(articles["id"][i], ""), 80, placeholder="…")) for i in order],
            mode="markers",
            name=escape(name),
            marker={"color": colour, "size": 8, "symbol": symbol},
            hovertemplate="%{text}<br>R-precision %{y:.2f}<extra></extra>",
        )
    figure.update_yaxes(**SHARES)
    figure.update_xaxes(tickformat=",d", dtick=1 if len(articles["id"]) <= FEW_TICKS else None)
    return drawn(figure, x="articles, worst first", y="R-precision", n=count_of(len(articles["id"]), "article"))


def shares_by_place(places: Sequence[Mapping[str, Any]], x: str) -> go.Figure:
    """Share of all key sentences and of all predictions in each place, and how many of its predictions are key."""
    key, predicted = (sum(place[name] for place in places) or 1 for name in ("key", "predicted"))
    names = [place["name"] for place in places]
    figure = go.Figure()
    for column, total, name, colour, pattern in (
        ("key", key, "share of key sentences", BLUE, ""),
        ("predicted", predicted, "share of predictions", ORANGE, "/"),
    ):
        figure.add_bar(
            x=names,
            y=[place[column] / total for place in places],
            customdata=[[number] for number in range(len(places))],
            name=name,
            marker={"color": colour, "pattern": {"shape": pattern}},
            hovertemplate="%{x}: %{y:.0%}, " + name + "<extra></extra>",
        )
    figure.add_scatter(
        x=names,
        y=[place["true"] / place["predicted"] if place["predicted"] else None for place in places],
        customdata=[[number] for number in range(len(places))],
        mode="markers",
        name="R-precision there",
        marker={"color": VERMILLION, "symbol": "diamond", "size": 11},
        hovertemplate="%{x}: %{y:.0%} of the predictions are key<extra></extra>",
    )
    figure.update_yaxes(tickformat=".0%", range=FULL_SHARE)
    n = ", ".join(count_of(sum(place[name] for place in places), thing) for name, thing in COUNTED.items())
    return drawn(figure, x=x, y="share", n=n)
