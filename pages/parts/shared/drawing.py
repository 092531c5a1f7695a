"""What all figures share: colours, axes that hide nothing, of how many a figure is, and how it writes numbers."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go

from pages.parts.frame.templates import SCALE

# Okabe and Ito's palette (jfly.uni-koeln.de/color), safe for all common forms of colour blindness.
BLUE, ORANGE, GREEN, VERMILLION, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#7F7F7F"
# From disagreement over nothing to agreement: zero is white, and each side tells its sign by its colour.
DIVERGING = [[0.0, "#A63E00"], [0.25, "#EBA27C"], [0.5, "#F7F7F7"], [0.75, "#7FB3D5"], [1.0, "#08396B"]]
HEIGHT = 340
FONT = {"size": int(SCALE.partition("--small: ")[2].partition("px")[0])}
LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
FULL_SHARE = [-0.03, 1.04]  # of an axis from 0 to 1: points at its ends are whole
SHARES = {"range": FULL_SHARE, "dtick": 0.2, "tickformat": ".1f"}  # such an axis
FEW_TICKS = 10
LEAST_SPAN = 0.1  # of a score: a smaller range would show noise as if it were a finding, and ticks of ten digits
LONGEST_NAME = 42  # of a row
CUT_ABOVE = 0.5  # an axis begins at 0 where that costs no more than half of its length


def drawn(figure: go.Figure, *, x: str, y: str, n: str, height: int = HEIGHT, **layout: Any) -> go.Figure:
    """The figure with titled axes, its legend above, and below it of how many it is; `n` such as "39 articles"."""
    kept = {"l": 60, "r": 20, "t": 40, "b": 55} | layout.pop("margin", {})
    figure.update_layout(height=height, margin=kept, legend=LEGEND, font=FONT, hovermode="closest", **layout)
    axes = {"automargin": True, "tickfont": FONT, "title_font": FONT}
    figure.update_xaxes(title=f"{x} (n = {n})" if x else f"n = {n}", **axes)
    figure.update_yaxes(title=y, **axes)
    return figure


def name_rows(figure: go.Figure, names: Sequence[str]) -> None:
    """Names the places 0, 1, ... of a figure's y axis, the first one on top; long names are cut."""
    cut = [name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…" for name in names]
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(cut))),
        ticktext=[escape(name) for name in cut],
        range=[len(cut) - 0.5, -0.5],
        automargin=True,
        zeroline=False,
    )


def interval(ends: Sequence[Sequence[float]], colour: str, width: int | None = None) -> dict[str, Any]:
    """The bars of points by (their means, their lows, their highs), for `error_x` or `error_y`."""
    means, lows, highs = ends
    return {
        "array": [high - mean for mean, high in zip(means, highs, strict=True)],
        "arrayminus": [mean - low for mean, low in zip(means, lows, strict=True)],
        "color": colour,
        "width": width,
    }


def whole_ticks(most: float) -> dict[str, Any]:
    """An axis of counts from 0 to `most`: whole ticks, every one where they are few."""
    return {"rangemode": "tozero", "tickformat": ",d", "dtick": 1 if most <= FEW_TICKS else None, "zeroline": False}


@dataclass(frozen=True, slots=True)
class Span:
    """The part of an axis that a figure shows, and whether that leaves out 0."""

    low: float
    high: float
    cut: bool

    def title(self, of_what: str) -> str:
        """The axis's title, which says where it begins if that is not 0."""
        return f"{of_what}, axis from {self.low:.{self.digits}f}" if self.cut else of_what

    @property
    def digits(self) -> int:
        """Digits behind the point that tell two ticks apart."""
        return max(0, -math.floor(math.log10(self.step)))

    @property
    def step(self) -> float:
        """From tick to tick: 1, 2 or 5 times a power of ten, about five of them."""
        rough = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        return next((power * times for times in (1, 2, 5) if power * times >= rough), power * 10)

    @property
    def axis(self) -> dict[str, Any]:
        """For `update_xaxes` or `update_yaxes`."""
        return {
            "range": [self.low, self.high],
            "dtick": self.step,
            "tick0": 0,
            "tickformat": f".{self.digits}f",
            "zeroline": False,
        }


def span_of(values: Iterable[float | None]) -> Span:
    """The span of some scores, the ends of their intervals among them: from 0 where they are spread out, else cut."""
    known = [value for value in values if value is not None and not math.isnan(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    aside = max(0.08 * (high - low), (LEAST_SPAN - (high - low)) / 2)
    if low >= 0 and low - aside <= CUT_ABOVE * (high + aside):
        return Span(-0.03 * (high + aside), high + aside, cut=False)
    return Span(low - aside, high + aside, cut=low > 0)
