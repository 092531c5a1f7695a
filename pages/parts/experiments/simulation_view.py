"""The results of a simulation: whether a strategy helps, and its curve against the random order."""

from collections.abc import Sequence

import streamlit as st

from annotate.experiments.simulation_spec import reading_name
from annotate.experiments.simulation_tables import (
    GOAL,
    WINDOW,
    against_random,
    is_random,
    label_of,
    verdict_in_words,
)
from annotate.experiments.study_tables import Row
from pages.parts.experiments.simulation_charts import VIEWS, learning_curve_against_random
from pages.parts.frame.text import shown
from pages.parts.shared.figures import show_figure

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
