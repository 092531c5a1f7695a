"""The figure of the page Start."""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from annotate.operations.overview import Measured
from annotate.project.words import count_of
from pages.parts.shared.drawing import BLUE, EARLIER, FULL_SHARE, PALE, drawn

PLOT_HEIGHT = 220


def arp_figure(measured: Sequence[Measured]) -> go.Figure:
    """ARP with its 95 % interval by version, in the order in which they were made; grey where labels changed since."""
    figure = go.Figure()
    for old, name, colour in ((False, "", BLUE), (True, EARLIER, PALE)):
        chosen = [one for one in measured if bool(one.since) is old]
        if not chosen:
            continue
        figure.add_scatter(
            x=[_named(one) for one in chosen],
            y=[one.arp for one in chosen],
            mode="markers",
            name=name,
            marker={"color": colour, "size": 10},
            error_y={
                "array": [one.high - one.arp for one in chosen],
                "arrayminus": [one.arp - one.low for one in chosen],
                "color": colour,
            },
            customdata=[", ".join(filter(None, (one.ranking, one.since))) for one in chosen],
            hovertemplate="%{x}, %{customdata}<br>ARP %{y:.3f}<extra></extra>",
        )
    figure.update_xaxes(categoryorder="array", categoryarray=[_named(one) for one in measured])
    counts = {one.n for one in measured}
    n = count_of(max(counts), "test article") if len(counts) == 1 else f"{min(counts)} to {max(counts)} test articles"
    drawn(figure, x="", y="ARP (95 % interval)", n=n, height=PLOT_HEIGHT, margin={"t": 10}, showlegend=False)
    return figure.update_yaxes(range=FULL_SHARE)


def _named(one: Measured) -> str:
    return f"{escape(one.version)}<br>n = {one.n:,}"
