"""The figure of encoders: one measure of one task, each encoder with its interval."""

from collections.abc import Mapping, Sequence
from html import escape

import plotly.graph_objects as go

from annotate.project.words import count_of
from pages.parts.shared.drawing import BLUE, GREY, drawn, name_rows, span_of

ROW_PIXELS = 38
BOUNDS = ("low", "value", "high")


def measure_by_encoder(points: Sequence[tuple[str, Mapping[str, float]]], title: str, tested: int) -> go.Figure:
    """Each encoder's value with its 95 % interval, where one is told, the first one on top; a line at the floor."""
    figure = go.Figure()
    values = [found["value"] for _, found in points]
    figure.add_scatter(
        x=values,
        y=list(range(len(points))),
        mode="markers",
        marker={"color": BLUE, "size": 11, "symbol": "diamond"},
        error_x={
            "array": [found.get("high", found["value"]) - found["value"] for _, found in points],
            "arrayminus": [found["value"] - found.get("low", found["value"]) for _, found in points],
            "color": BLUE,
            "width": 6,
        },
        text=[escape(name) for name, _ in points],
        hovertemplate="%{text}<br>%{x:.3f}<extra></extra>",
        showlegend=False,
    )
    floor = points[0][1].get("floor")
    if floor:
        figure.add_vline(floor, line={"color": GREY, "dash": "dash"}, annotation_text="floor")
    name_rows(figure, [name for name, _ in points])
    span = span_of([found[name] for _, found in points for name in BOUNDS if name in found] + [floor])
    figure.update_xaxes(**span.axis)
    height = 120 + ROW_PIXELS * len(points)
    x = span.title(f"{title}, 95 % interval" if "low" in points[0][1] else title)
    return drawn(figure, x=x, y="encoder", n=count_of(tested, "tested item") if tested else "not told", height=height)
