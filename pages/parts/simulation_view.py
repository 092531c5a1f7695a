"""What came out of a simulation: curves with bands, the summary, and every point as CSV."""

from collections.abc import Sequence

import streamlit as st

import db.experiments
from annotate.experiment_tables import Row, by_corpus, rows_of
from annotate.home import read
from annotate.rights import Right
from annotate.simulation_spec import reading_name
from annotate.simulation_tables import GOAL, WINDOW, as_csv, cells_of, curve_of, summary_of
from db.learning_tables import SimulationRun
from model.acquisition import STRATEGIES
from pages.parts.downloads import made_for
from pages.parts.evaluation_tables import table_of_cells
from pages.parts.job_panel import latest_job
from pages.parts.page import shown
from pages.parts.simulation_charts import VIEWS, learning_curves

FIRST_LINES = 5  # are drawn unless others are chosen: more are hard to tell apart


def failed_replays() -> None:
    """Which replays of the last simulation failed, where others did not."""
    job = latest_job("simulate")
    failed = job.result.get("failed") if job and job.state == "done" else None
    if failed:
        st.warning(f"{len(failed)} of {job.result['runs']} replays failed.", icon=":material/warning:")
        st.dataframe(failed, hide_index=True, width="stretch")


def replays(simulation: str) -> None:
    """The finished replays of a simulation, of one corpus and encoder at a time."""
    with read() as session:
        corpora = by_corpus(db.experiments.runs_of(session, simulation, SimulationRun))
    choices = list(corpora)
    chosen = choices[0]
    if len(choices) > 1:
        chosen = st.selectbox("Corpus", choices, format_func=lambda sha256: _described(corpora[sha256][0]))
    runs = corpora[chosen]
    rows = rows_of(runs)
    st.caption(shown(f"{_described(runs[0])}. {len(runs)} replays finished, the last on {runs[0].created_at[:10]}."))
    _curves(rows)
    _summary(simulation, rows, runs)


def _described(run: SimulationRun) -> str:
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
            st.plotly_chart(
                learning_curves(curves, view, sum(full) / len(full) if full else None, styles),
                key=view.title,
                config={"displayModeBar": False},
            )


def _summary(simulation: str, rows: Sequence[Row], runs: Sequence[SimulationRun]) -> None:
    st.subheader("Summary")
    table_of_cells(cells_of(summary_of(runs)))
    st.caption(
        f"To {GOAL:.0%}: the articles and sentences after which the mean curve of all seeds, averaged over {WINDOW} "
        "points, reaches that share of the ARP with all labels; then as shares of what random order needed, read in "
        "full or read the same way. ± and bands are the 95 % interval of the mean over the seeds (Student's t). Every "
        "sentence looked at gets a label. recall@x, WSS@95 and ATD are those of ASReview, for key sentences."
    )
    st.download_button(
        "Every point as CSV",
        made_for(Right.STUDY, lambda: as_csv(rows)),
        f"{simulation}.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
