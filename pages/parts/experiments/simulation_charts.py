"""The figure of simulations: a strategy against the random order, with the interval of their difference."""

from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from annotate.experiments.simulation_tables import difference_half_width
from annotate.project.words import count_of
from pages.parts.shared.drawing import BLUE, FONT, GREY, drawn, span_of, whole_ticks

PALE_BLUE = "rgba(0,114,178,0.15)"
RIGHT = 150  # pixels for the names at the ends of the lines


@dataclass(frozen=True, slots=True)
class View:
    """What is drawn, by the name of a curve's value, with the title of its axis."""

    title: str
    y: str
    y_title: str


VIEWS = (
    View("ARP of other articles", "arp", "ARP"),
    View("Key sentences found", "recall", "share of the pool's key sentences found"),
)


def learning_curve_against_random(
    name: str, strategy: pd.DataFrame, random: pd.DataFrame, view: View, full_arp: float | None
) -> go.Figure:
    """The mean curves of a strategy and of the random order, each named at its end; both by articles and seed.

    Around the strategy's lies the 95 % interval of their difference: where it leaves the other line out, the two differ
    by more than chance. full_arp is drawn as a level under ARP.
    """
    found = pd.DataFrame(
        {"y": strategy.mean(axis=1), "other": random.mean(axis=1), "half": difference_half_width(strategy, random)}
    ).dropna(subset=["y", "other"])
    x, y, other, half = found.index.to_numpy(), *(found[column].to_numpy(float) for column in found)
    figure = go.Figure()
    banded = bool(np.isfinite(half).any())
    if banded:
        wide = np.nan_to_num(half)
        figure.add_scatter(
            x=np.concatenate([x, x[::-1]]),
            y=np.concatenate([y + wide, (y - wide)[::-1]]),
            fill="toself",
            fillcolor=PALE_BLUE,
            line={"width": 0},
            hoverinfo="skip",
            mode="lines",
        )
    for values, label, colour, dash in ((other, "Random", GREY, "dash"), (y, name, BLUE, "solid")):
        figure.add_scatter(
            x=x,
            y=values,
            mode="lines",
            name=escape(label),
            line={"color": colour, "width": 2.2, "dash": dash},
            hovertemplate=f"{escape(label)}<br>%{{x:,.0f}} articles read<br>%{{y:.3f}}<extra></extra>",
        )
        if len(x):
            figure.add_annotation(
                x=1.01,
                xref="paper",
                y=values[-1],
                text=f"<b>{escape(label)}</b>",
                showarrow=False,
                xanchor="left",
                # The upper name stands above its line's end, the lower below: they keep apart where both end together.
                yanchor="bottom" if (values is y) == (y[-1] >= other[-1]) else "top",
                font=FONT | {"color": colour},
            )
    levels = [full_arp] if full_arp is not None and view.y == "arp" else []
    for level in levels:
        figure.add_hline(level, line={"color": GREY, "width": 1, "dash": "dot"})
        figure.add_annotation(
            x=0, xref="paper", y=level, text="all labels", showarrow=False, yanchor="bottom", xanchor="left"
        )
    # The first point is the head before any label, far below the others: the lines come in from there.
    span = span_of([*y[1:], *other[1:], *levels])
    figure.update_yaxes(**span.axis)
    figure.update_xaxes(**whole_ticks(max(x, default=0)))
    x_title = "articles read" + ", band: 95 % interval of the difference" * banded
    y_title, n = span.title(view.y_title), count_of(len(strategy.columns), "seed")
    return drawn(figure, x=x_title, y=y_title, n=n, margin={"r": RIGHT, "t": 20}, showlegend=False)
