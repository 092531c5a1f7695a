"""The results of a simulation: whether a strategy helps, and its curve against the random order."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from annotate.experiments.simulation_spec import reading_name
from annotate.experiments.simulation_tables import (
    GOAL,
    WINDOW,
    against_random,
    difference_half_width,
    is_random,
    label_of,
    verdict_in_words,
)
from annotate.experiments.study_tables import Row
from annotate.project.words import count_of
from pages.parts.frame.text import shown
from pages.parts.shared.drawing import BLUE, FONT, GREY, drawn, span_of, whole_ticks
from pages.parts.shared.figures import show_figure

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
NOTE = (
    f"To {GOAL:.0%}: after how many articles and sentences the mean curve reaches that share of the ARP with all "
    f"labels. It is the mean of all seeds, averaged over {WINDOW} points. The shares compare it with random order, "
    "read in full or the same way. Every sentence looked at gets a label. recall@x, WSS@95 and ATD are as ASReview "
    "defines them, for key sentences."
)


def curves(rows: Sequence[Row]) -> None:
    """Says whether a strategy of one reading beats the random order, and draws one against it."""
    readings = list(dict.fromkeys(row.runs[0].settings["proposals"] for row in rows))
    left, middle, right = st.columns(3)
    reading = readings[0]
    if len(readings) > 1:
        reading = left.selectbox("Articles are", readings, format_func=reading_name)
    of_reading = [row for row in rows if row.runs[0].settings["proposals"] == reading]
    st.markdown(f"**{shown(verdict_in_words(of_reading))}**")
    random = next((row for row in of_reading if is_random(row)), None)
    others = {label_of(row): row for row in of_reading if not is_random(row)}
    if random is None or not others:
        return
    name = middle.selectbox("Strategy against random", list(others))
    view = right.selectbox("Drawn", VIEWS, format_func=lambda each: each.title)
    one, other = against_random(others[name], random, view.y)
    if len(one.columns):
        full = [value for row in of_reading for value in row.values("full_arp")]
        level = sum(full) / len(full) if full else None
        show_figure(learning_curve_against_random(name, one, other, view, level), key="against_random")


def learning_curve_against_random(
    name: str, strategy: pd.DataFrame, random: pd.DataFrame, view: View, full_arp: float | None
) -> go.Figure:
    """The mean curves of a strategy and of the random order, each named at its end; both by articles and seed.

    Around the strategy's lies the 95% interval of their difference: where it leaves the other line out, the two differ
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
    x_title = "articles read" + ", band: 95% interval of the difference" * banded
    y_title, n = span.title(view.y_title), count_of(len(strategy.columns), "seed")
    return drawn(figure, x=x_title, y=y_title, n=n, margin={"r": RIGHT, "t": 20}, showlegend=False)
