"""The figures of the retrain advice: what changed in the labels, and the learning curve with its next point."""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from annotate.training.advice import Point, SplitChange
from pages.parts.shared.charts import BLUE, GREY, ORANGE, VERMILLION

HEIGHT = 210
KINDS = (
    ("key", "key sentences", BLUE),
    ("not_key", "not key", GREY),
    ("changed", "changed", ORANGE),
    ("withdrawn", "withdrawn", VERMILLION),
)


def changes_by_split(splits: Sequence[SplitChange]) -> go.Figure:
    """How many labels are new, changed or withdrawn, one bar a split, the training articles on top."""
    figure = go.Figure()
    for name, label, colour in KINDS:
        counts = [getattr(split, name) for split in splits]
        if any(counts):
            figure.add_bar(
                y=[split.split for split in splits],
                x=counts,
                orientation="h",
                name=label,
                marker_color=colour,
                hovertemplate=label + ": %{x:,} in %{y}<extra></extra>",
            )
    figure.update_layout(barmode="stack", bargap=0.35)
    figure.update_yaxes(autorange="reversed", title="")
    figure.update_xaxes(title="labels that differ", rangemode="tozero", tickformat=",d")
    return _small(figure)


def learning_curve(curve: Sequence[Point], expected: Point | None) -> go.Figure:
    """ARP by key sentences trained on, with 95 % intervals, and where the next version is expected."""
    figure = go.Figure()
    _points(figure, curve, name="versions", colour=BLUE, symbol="circle")
    if expected is not None:
        _points(figure, [expected], name="expected next", colour=ORANGE, symbol="diamond-open")
    figure.update_xaxes(title="key sentences trained on", rangemode="tozero", tickformat=",d")
    figure.update_yaxes(title="ARP, hybrid", range=[0, 1.05], dtick=0.25)
    return _small(figure)


def _points(figure: go.Figure, points: Sequence[Point], *, name: str, colour: str, symbol: str) -> None:
    figure.add_scatter(
        x=[point.key_sentences for point in points],
        y=[point.arp.mean for point in points],
        mode="markers",
        name=name,
        marker={"color": colour, "size": 9, "symbol": symbol, "line": {"width": 2}},
        text=[escape(point.version) for point in points],
        error_y={
            "array": [point.arp.high - point.arp.mean for point in points],
            "arrayminus": [point.arp.mean - point.arp.low for point in points],
            "color": colour,
            "width": 4,
        },
        hovertemplate="%{text}: ARP %{y:.3f}, %{x:,} key sentences<extra></extra>",
    )


def _small(figure: go.Figure) -> go.Figure:
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 10, "r": 10, "t": 30, "b": 40},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
        showlegend=True,
    )
    figure.update_yaxes(automargin=True)
    return figure
