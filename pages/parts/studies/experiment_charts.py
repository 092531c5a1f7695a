"""The figures of experiments: a metric by row with its seeds, and two rows article by article."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from pages.parts.shared.charts import BLUE, GREEN, GREY, HEIGHT, VERMILLION

ROW_PIXELS = 34
LONGEST_NAME = 42


def metric_by_row(
    rows: Sequence[tuple[str, Sequence[float]]], table: Sequence[Mapping[str, Any]], metric: str, title: str
) -> go.Figure:
    """The mean of each row with its 95 % interval over seeds, and a dot for every seed; the first row on top.

    `rows` holds (name, value of each seed), `table` the lines in step.
    """
    figure = go.Figure()
    places = list(range(len(rows)))
    seeds = [(place, value) for place, (_, values) in zip(places, rows, strict=True) for value in values]
    figure.add_scatter(
        x=[value for _, value in seeds],
        y=[place for place, _ in seeds],
        mode="markers",
        name="one seed",
        marker={"color": GREY, "size": 7, "symbol": "circle-open", "line": {"width": 1.5}},
        hovertemplate=title + " %{x:.3f}, one seed<extra></extra>",
    )
    known = [(place, line) for place, line in zip(places, table, strict=True) if line[metric] is not None]
    figure.add_scatter(
        x=[line[metric] for _, line in known],
        y=[place for place, _ in known],
        mode="markers",
        name="mean and 95 % interval over seeds",
        marker={"color": BLUE, "size": 11, "symbol": "diamond"},
        error_x={"array": [line[f"{metric}_interval"] or 0 for _, line in known], "color": BLUE, "width": 6},
        text=[escape(line["row"]) for _, line in known],
        hovertemplate="%{text}<br>" + title + " %{x:.3f}<extra></extra>",
    )
    names = [name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…" for name, _ in rows]
    figure.update_yaxes(
        tickmode="array",
        tickvals=places,
        ticktext=[escape(name) for name in names],
        range=[len(rows) - 0.5, -0.5],
        automargin=True,
        zeroline=False,
    )
    figure.update_xaxes(title=title, zeroline=False)
    figure.update_layout(
        height=max(HEIGHT - 120, 110 + ROW_PIXELS * len(rows)),
        margin={"l": 60, "r": 20, "t": 30, "b": 50},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        hovermode="closest",
    )
    return figure


def differences(articles: Sequence[Mapping[str, Any]]) -> go.Figure:
    """The change of every article's R-precision, worst first; articles: article, before, after, difference."""
    figure = go.Figure()
    kinds = (("worse", VERMILLION, -1), ("better", GREEN, 1))
    for name, colour, sign in kinds:
        chosen = [(i, a) for i, a in enumerate(articles) if a["difference"] * sign > 1e-9]
        figure.add_bar(
            x=[i for i, _ in chosen],
            y=[article["difference"] for _, article in chosen],
            name=name,
            marker_color=colour,
            customdata=[[escape(str(a["article"])), a["before"], a["after"]] for _, a in chosen],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]:.2f}, then %{customdata[2]:.2f}<extra></extra>",
        )
    figure.update_xaxes(
        title="test articles, worst change first", range=[-1, len(articles)], showticklabels=False, zeroline=False
    )
    most = 1.05 * max(0.1, *(abs(article["difference"]) for article in articles))
    figure.update_yaxes(title="change of R-precision", range=[-most, most])
    figure.update_layout(
        height=HEIGHT,
        bargap=0.1,
        margin={"l": 60, "r": 20, "t": 30, "b": 50},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    return figure
