"""The results of a simulation: curves with bands, the summary, and every point as CSV."""

from collections.abc import Sequence

import streamlit as st

from annotate.experiments.experiment_tables import Row, rows_of
from annotate.experiments.simulation_spec import reading_name
from annotate.experiments.simulation_tables import GOAL, WINDOW, as_csv, cells_of, curve_of, summary_of
from db.tables import SimulationRun
from db.tables.experiments import FinishedRun
from model.active_learning.acquisition import STRATEGIES
from pages.parts.experiments.finished_runs import csv_button, runs_of_one_corpus
from pages.parts.experiments.simulation_charts import VIEWS, learning_curves
from pages.parts.frame.text import shown
from pages.parts.shared.figures import show_figure
from pages.parts.shared.tables import table_of_cells

FIRST_LINES = 5  # are drawn unless others are chosen: more are hard to tell apart


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
    left, right = st.columns([1, 3])
    reading = readings[0]
    if len(readings) > 1:
        reading = left.selectbox("Articles are", readings, format_func=reading_name)
    of_reading = [row for row in rows if row.runs[0].settings["proposals"] == reading]
    names = {row.name: STRATEGIES[row.runs[0].settings["strategy"]].label for row in of_reading}
    labels = list(dict.fromkeys(names.values()))
    drawn = right.multiselect("Strategies drawn", labels, labels[:FIRST_LINES])
    styles = {strategy.label: number for number, strategy in enumerate(STRATEGIES.values())}
    curves = {names[row.name]: curve_of(row) for row in of_reading if names[row.name] in drawn}
    full = [value for row in of_reading for value in row.values("full_arp")]
    for tab, view in zip(st.tabs([view.title for view in VIEWS]), VIEWS, strict=True):
        with tab:
            show_figure(learning_curves(curves, view, sum(full) / len(full) if full else None, styles), key=view.title)


def _summary(simulation: str, rows: Sequence[Row], runs: Sequence[FinishedRun]) -> None:
    st.subheader("Summary")
    table_of_cells(cells_of(summary_of(runs)))
    st.caption(
        f"To {GOAL:.0%}: the articles and sentences after which the mean curve of all seeds, averaged over {WINDOW} "
        "points, reaches that share of the ARP with all labels; then as shares of what random order needed, read in "
        "full or read the same way. ± and bands are the 95 % interval of the mean over the seeds (Student's t). Every "
        "sentence looked at gets a label. recall@x, WSS@95 and ATD are as ASReview defines them, for key sentences."
    )
    csv_button("Every point as CSV", simulation, lambda: as_csv(rows))
