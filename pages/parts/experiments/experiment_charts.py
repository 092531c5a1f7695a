"""The figures of experiments: a metric by row with its seeds, and two rows article by article."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from annotate.project.words import count_of
from pages.parts.shared.drawing import BLUE, GREEN, GREY, HEIGHT, VERMILLION, drawn, name_rows, span_of

ROW_PIXELS = 34


def metric_by_row(
    rows: Sequence[tuple[str, Sequence[float]]], table: Sequence[Mapping[str, Any]], metric: str, title: str
) -> go.Figure:
    """The mean of each row with its 95 % interval over seeds, where there are two, and a dot for every seed.

    `rows` holds (name, value of each seed), the first one on top, `table` the lines in step.
    """
    figure = go.Figure()
    seeds = [(place, value) for place, (_, values) in enumerate(rows) for value in values]
    figure.add_scatter(
        x=[value for _, value in seeds],
        y=[place for place, _ in seeds],
        mode="markers",
        name="one seed",
        marker={"color": GREY, "size": 7, "symbol": "circle-open", "line": {"width": 1.5}},
        hovertemplate=title + " %{x:.3f}, one seed<extra></extra>",
    )
    means = [
        (place, mean, line[f"{metric}_interval"], escape(line["row"]))
        for place, line in enumerate(table)
        if (mean := line[metric]) is not None
    ]
    for name, has in (("mean over seeds, 95 % interval", True), ("one seed: no interval", False)):
        if drawn_now := [each for each in means if (each[2] is not None) == has]:
            places, values, halves, names = zip(*drawn_now, strict=True)
            figure.add_scatter(
                x=values,
                y=places,
                mode="markers",
                name=name,
                marker={"color": BLUE, "size": 11, "symbol": "diamond" if has else "diamond-open"},
                error_x={"array": halves, "color": BLUE, "width": 6} if has else None,
                text=names,
                hovertemplate="%{text}<br>" + title + " %{x:.3f}<extra></extra>",
            )
    name_rows(figure, [name for name, _ in rows])
    ends = [bound for _, mean, half, _ in means for bound in (mean - (half or 0), mean + (half or 0))]
    span = span_of([*(value for _, value in seeds), *ends])
    figure.update_xaxes(**span.axis)
    height = max(HEIGHT - 120, 120 + ROW_PIXELS * len(rows))
    numbers = [len(values) for _, values in rows]
    low, high = min(numbers, default=0), max(numbers, default=0)
    n = count_of(high, "seed") + " each" if low == high else f"{low:,} to {count_of(high, 'seed')}"
    return drawn(figure, x=span.title(title), y="setting", n=n, height=height)


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
    figure.update_xaxes(range=[-1, len(articles)], showticklabels=False, zeroline=False)
    most = 1.05 * max(0.1, *(abs(article["difference"]) for article in articles))
    figure.update_yaxes(range=[-most, most], tickformat="+.1f")
    figure.update_layout(bargap=0.1)
    x, y = "test articles, worst change first", "change of R-precision, above 0 better"
    return drawn(figure, x=x, y=y, n=count_of(len(articles), "article"))
