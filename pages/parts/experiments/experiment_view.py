"""The results of an experiment: a chart by row, and two rows compared article by article."""

from collections.abc import Sequence
from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from annotate.evaluation.metric_labels import change_written
from annotate.experiments.experiment_tables import METRICS, paired, table_of
from annotate.experiments.study_tables import Row
from annotate.project.words import count_of
from pages.parts.frame.text import shown
from pages.parts.shared.charts import Measured, intervals_by_row
from pages.parts.shared.drawing import GREEN, VERMILLION, drawn
from pages.parts.shared.figures import show_figure


def chart(rows: Sequence[Row]) -> None:
    """Draws a measure by row."""
    metric = st.selectbox("Measure", list(METRICS), format_func=METRICS.__getitem__)
    show_figure(metric_by_row(rows, metric), key="by_row")


def metric_by_row(rows: Sequence[Row], metric: str) -> go.Figure:
    """The mean of each row with its interval over seeds, where there are two, and a dot for every seed."""
    points = []
    for row, line in zip(rows, table_of(rows), strict=True):
        mean, half = line[metric], line[f"{metric}_interval"]
        low, high = (None, None) if half is None else (mean - half, mean + half)
        points.append(Measured(row.name, mean, low, high, row.values(metric)))
    numbers = [len(point.singles) for point in points]
    fewest, most = min(numbers, default=0), max(numbers, default=0)
    n = count_of(most, "seed") + " each" if fewest == most else f"{fewest:,} to {count_of(most, 'seed')}"
    return intervals_by_row(points, METRICS[metric], y="setting", n=n)


def comparison(rows: Sequence[Row]) -> None:
    """Compares two rows, where there are two."""
    if len(rows) < 2:
        return
    st.subheader("Two rows, article by article")
    left, right = st.columns(2)
    numbers = range(len(rows))
    first = left.selectbox("Row", numbers, format_func=lambda number: rows[number].name)
    second = right.selectbox("compared with", numbers, index=len(rows) - 1, format_func=lambda n: rows[n].name)
    if first == second:
        st.info("Choose two different rows.", icon=":material/info:")
        return
    found, change = paired(rows[first], rows[second])
    signs = np.sign(found["difference"].round(9))
    interval = f"{change_written(change.low)} to {change_written(change.high)}"
    st.markdown(
        f"**{change_written(change.value)}** R-precision (95% bootstrap interval {interval}, over "
        f"{count_of(len(found), 'article')}) of {shown(rows[second].name)} over {shown(rows[first].name)}: "
        f"{count_of(int((signs > 0).sum()), 'article')} better, {(signs == 0).sum()} equal, "
        f"{(signs < 0).sum()} worse, seeds averaged."
    )
    show_figure(differences(found), key="differences")


def differences(articles: pd.DataFrame) -> go.Figure:
    """The change of every article's R-precision, as of `paired`."""
    figure = go.Figure()
    found = articles.assign(place=range(len(articles)))
    for name, colour, chosen in (
        ("worse", VERMILLION, found[found["difference"] < -1e-9]),
        ("better", GREEN, found[found["difference"] > 1e-9]),
    ):
        figure.add_bar(
            x=chosen["place"],
            y=chosen["difference"],
            name=name,
            marker_color=colour,
            customdata=[[escape(str(key)), *ends] for key, *ends in chosen[["before", "after"]].itertuples()],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]:.2f}, then %{customdata[2]:.2f}<extra></extra>",
        )
    figure.update_xaxes(range=[-1, len(found)], showticklabels=False, zeroline=False)
    most = 1.05 * max(0.1, found["difference"].abs().max())
    figure.update_yaxes(range=[-most, most], tickformat="+.1f")
    figure.update_layout(bargap=0.1)
    x, y = "test articles, worst change first", "change of R-precision, above 0 better"
    return drawn(figure, x=x, y=y, n=count_of(len(found), "article"))
