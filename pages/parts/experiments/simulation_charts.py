"""The figures of simulations: a line for each strategy and reading, with its band over the seeds."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import plotly.graph_objects as go

from annotate.experiments.simulation_tables import Curve
from annotate.project.words import count_of
from pages.parts.shared.drawing import BLUE, GREEN, GREY, ORANGE, VERMILLION, Span, drawn, span_of, whole_ticks

# Okabe and Ito's palette to its end, then once more with other dashes and markers.
SKY, PURPLE = "#56B4E9", "#CC79A7"
COLOURS = (GREY, BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY)
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "cross", "triangle-down", "pentagon", "hexagon")
HEIGHT = 460
MARKERS = 8  # on each line
LABEL_PIXELS = 15
RIGHT = 190  # pixels for the names at the ends of the lines
PLOT_PIXELS = HEIGHT - 110


@dataclass(frozen=True, slots=True)
class View:
    """What is drawn against what, by the names of a curve's values, with the titles of the axes."""

    title: str
    x: str
    y: str
    x_title: str
    y_title: str


VIEWS = (
    View("ARP by labels", "labels", "arp", "sentences labelled", "ARP"),
    View("ARP by articles", "articles", "arp", "articles read", "ARP"),
    View("Recall by articles", "articles", "recall", "articles read", "share of the pool's key sentences found"),
    View("Recall by sentences", "labels", "recall", "sentences looked at", "share of the pool's key sentences found"),
)


def learning_curves(
    curves: Mapping[str, Curve], view: View, full_arp: float | None, styles: Mapping[str, int]
) -> go.Figure:
    """The mean of each row with its 95 % interval over seeds; each line is named at its end too.

    styles: a number for each row, which gives colour, dash and marker: they do not depend on the other rows.
    full_arp is drawn as a level under ARP.
    """
    figure = go.Figure()
    ends = []
    for name, curve in curves.items():
        x = curve.articles if view.x == "articles" else curve.mean(view.x)
        y, half = curve.mean(view.y), curve.half_width(view.y)
        kept = ~np.isnan(y)
        if not kept.any():
            continue
        x, y, half = x[kept], y[kept], half[kept]
        number = styles[name]
        colour = COLOURS[number % len(COLOURS)]
        if np.isfinite(half).any():
            _band(figure, x, y, np.nan_to_num(half), colour)
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines+markers",
            name=escape(name),
            line={"color": colour, "width": 2.2, "dash": DASHES[number // len(COLOURS) % len(DASHES)]},
            marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 8, "maxdisplayed": MARKERS},
            customdata=[f" ± {own:.3f}" if np.isfinite(own) else "" for own in half],
            hovertemplate=f"{escape(name)}<br>%{{x:,.0f}} {view.x_title}<br>%{{y:.3f}}%{{customdata}}<extra></extra>",
        )
        ends.append((float(y[-1]), escape(name), colour))
    levels = [] if full_arp is None or view.y != "arp" else [full_arp]
    if levels:
        figure.add_hline(full_arp, line={"color": GREY, "width": 1, "dash": "dot"})
        figure.add_annotation(
            x=0, xref="paper", y=full_arp, text="all labels", showarrow=False, yanchor="bottom", xanchor="left"
        )
    span = _framed(figure, ends, levels)
    figure.update_xaxes(**whole_ticks(max((max(trace.x) for trace in figure.data), default=0)))
    seeds = max((len(curve.values[view.y]) for curve in curves.values()), default=0)
    banded = ", band: 95 % interval" if any(trace.fill for trace in figure.data) else ""
    title, n = span.title(view.y_title) + banded, count_of(seeds, "seed")
    return drawn(figure, x=view.x_title, y=title, n=n, height=HEIGHT, margin={"r": RIGHT, "t": 20}, showlegend=False)


def _band(figure: go.Figure, x: np.ndarray, y: np.ndarray, half: np.ndarray, colour: str) -> None:
    red, green, blue = (int(pair, 16) for pair in re.findall("..", colour[1:]))
    figure.add_scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([y + half, (y - half)[::-1]]),
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},0.12)",
        line={"width": 0},
        hoverinfo="skip",
        mode="lines",
    )


def _framed(figure: go.Figure, ends: Sequence[tuple[float, str, str]], levels: Sequence[float]) -> Span:
    """Frames lines and levels, and names the lines at the right edge, moved apart where they end close together."""
    # The first point is the head before any label, far below the others: the line comes in from there.
    values = [y for trace in figure.data if trace.fill is None for y in trace.y[min(1, len(trace.y) - 1) :]]
    span = span_of([*values, *levels])
    figure.update_yaxes(**span.axis)
    if ends:
        _name_ends(figure, ends, span)
    return span


def _name_ends(figure: go.Figure, ends: Sequence[tuple[float, str, str]], span: Span) -> None:
    pixel = (span.high - span.low) / PLOT_PIXELS
    places: list[float] = []
    for y, _, _ in sorted(ends):
        places.append(max(y, places[-1] + LABEL_PIXELS * pixel) if places else y)
    over = max(0.0, places[-1] - span.high)
    for place, (_, name, colour) in zip(places, sorted(ends), strict=True):
        figure.add_annotation(
            x=1.01,
            xref="paper",
            y=place - over,
            text=f"<b>{name}</b>",
            showarrow=False,
            xanchor="left",
            font={"size": 11, "color": colour},
        )
