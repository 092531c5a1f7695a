"""The results of a simulation: whether a strategy helps, its curve, the summary, and every point as CSV."""

from collections.abc import Sequence

import streamlit as st

from annotate.experiments.experiment_tables import Row, rows_of
from annotate.experiments.simulation_spec import reading_name
from annotate.experiments.simulation_tables import (
    GOAL,
    WINDOW,
    against_random,
    as_csv,
    cells_of,
    is_random,
    label_of,
    summary_of,
    verdict_in_words,
)
from db.tables import SimulationRun
from db.tables.experiments import FinishedRun
from pages.parts.experiments.finished_runs import csv_button, runs_of_one_corpus
from pages.parts.experiments.simulation_charts import VIEWS, learning_curve_against_random
from pages.parts.frame.text import shown
from pages.parts.shared.figures import show_figure
from pages.parts.shared.tables import text_table


def replays(simulation: str) -> None:
    """The finished replays of a simulation, of one corpus and encoder at a time."""
    runs = runs_of_one_corpus(simulation, SimulationRun, _described)
    rows = rows_of(runs)
    st.caption(shown(f"{_described(runs[0])}. {len(runs)} replays finished, the last on {runs[0].created_at[:10]}."))
    _curves(rows)
    _summary(simulation, rows, runs)


def _described(run: FinishedRun) -> str:
    corpus = run.corpus
    names = " + ".join(source["name"] for source in corpus["sources"])
    counts = f"{corpus['articles']:,} articles, {corpus['sentences']:,} sentences, {corpus['key']:,} key"
    return f"{names}: {counts}, {corpus['sha256'][:8]}, {run.encoder}"


def _curves(rows: Sequence[Row]) -> None:
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
    if pair := against_random(others[name], random):
        full = [value for row in of_reading for value in row.values("full_arp")]
        level = sum(full) / len(full) if full else None
        show_figure(learning_curve_against_random(name, *pair, view, level), key="against_random")


def _summary(simulation: str, rows: Sequence[Row], runs: Sequence[FinishedRun]) -> None:
    st.subheader("Summary")
    text_table(cells_of(summary_of(runs)), "Summary", heads={"": "Strategy"})
    st.caption(
        f"To {GOAL:.0%}: the articles and sentences after which the mean curve of all seeds, averaged over {WINDOW} "
        "points, reaches that share of the ARP with all labels; then as shares of what random order needed, read in "
        "full or read the same way. ± is the 95 % interval of the mean over the seeds (Student's t). Every "
        "sentence looked at gets a label. recall@x, WSS@95 and ATD are as ASReview defines them, for key sentences."
    )
    csv_button("Every point as CSV", simulation, lambda: as_csv(rows))
