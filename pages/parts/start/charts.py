"""The figure of the page Start."""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from annotate.operations.overview import Measured
from annotate.project.words import count_of
from pages.parts.shared.drawing import BLUE, FULL_SHARE, drawn

PLOT_HEIGHT = 220


def arp_figure(measured: Sequence[Measured]) -> go.Figure:
    """ARP with its 95 % interval by version, in the order in which they were made."""
    figure = go.Figure()
    figure.add_scatter(
        x=[f"{escape(one.version)}<br>n = {one.n:,}" for one in measured],
        y=[one.arp for one in measured],
        mode="lines+markers",
        marker={"color": BLUE, "size": 10},
        line={"color": BLUE, "width": 1, "dash": "dot"},
        error_y={
            "array": [one.high - one.arp for one in measured],
            "arrayminus": [one.arp - one.low for one in measured],
            "color": BLUE,
        },
        customdata=[one.ranking for one in measured],
        hovertemplate="%{x}, %{customdata}<br>ARP %{y:.3f}<extra></extra>",
    )
    counts = {one.n for one in measured}
    n = count_of(max(counts), "test article") if len(counts) == 1 else f"{min(counts)} to {max(counts)} test articles"
    drawn(figure, x="", y="ARP (95 % interval)", n=n, height=PLOT_HEIGHT, margin={"t": 10}, showlegend=False)
    return figure.update_yaxes(range=FULL_SHARE)
