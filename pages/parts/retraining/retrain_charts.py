"""The figures of the retrain advice: what changed in the labels, and the learning curve with its next point."""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from annotate.project.words import count_of
from annotate.retraining.advice import Point, SplitChange
from pages.parts.shared.drawing import BLUE, FULL_SHARE, GREY, ORANGE, VERMILLION, drawn, whole_ticks

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
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(**whole_ticks(max((split.labels for split in splits), default=0)))
    n = count_of(sum(split.labels for split in splits), "label")
    return _small(figure, x="labels that differ", y="part", n=n)


def learning_curve(curve: Sequence[Point], expected: Point | None) -> go.Figure:
    """ARP by key sentences trained on, with 95 % intervals, and where the next version is expected."""
    figure = go.Figure()
    _points(figure, curve, name="versions", colour=BLUE, symbol="circle")
    if expected is not None:
        _points(figure, [expected], name="expected next", colour=ORANGE, symbol="diamond-open")
    figure.update_xaxes(**whole_ticks(max((point.key_sentences for point in curve), default=0)))
    figure.update_yaxes(range=FULL_SHARE, dtick=0.25, tickformat=".2f")
    y = "ARP, hybrid, 95 % interval"
    return _small(figure, x="key sentences trained on", y=y, n=count_of(len(curve), "version"))


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


def _small(figure: go.Figure, *, x: str, y: str, n: str) -> go.Figure:
    drawn(figure, x=x, y=y, n=n, height=HEIGHT, margin={"l": 10, "r": 10, "t": 30, "b": 40}, showlegend=True)
    return figure.update_layout(legend_traceorder="normal")
