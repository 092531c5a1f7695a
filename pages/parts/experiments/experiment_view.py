"""The results of an experiment: a chart by row, the table, and two rows compared article by article."""

from collections.abc import Sequence

import streamlit as st

from annotate.evaluation.metric_labels import change_written
from annotate.experiments.corpora import PARTS
from annotate.experiments.experiment_tables import METRICS, Row, as_csv, cells_of, paired, rows_of, table_of
from db.tables import ExperimentRun
from db.tables.experiments import FinishedRun
from pages.parts.experiments.experiment_charts import differences, metric_by_row
from pages.parts.experiments.finished_runs import csv_button, runs_of_one_corpus
from pages.parts.frame.text import shown
from pages.parts.shared.figures import show_figure
from pages.parts.shared.tables import text_table


def results(experiment: str, metric: str) -> None:
    """The finished runs of an experiment, of one corpus at a time, with a chart of one of METRICS."""
    runs = runs_of_one_corpus(experiment, ExperimentRun, _described)
    rows = rows_of(runs)
    st.caption(
        shown(f"{_described(runs[0])}. {len(runs)} runs finished, the last on {runs[0].created_at[:10]}. ")
        + "± is two standard deviations over the seeds; a row with one seed has none."
    )
    _chart_and_table(experiment, rows, metric)
    if len(rows) > 1:
        _comparison(rows)


def _described(run: FinishedRun) -> str:
    corpus = run.corpus
    names = " + ".join(source["name"] for source in corpus["sources"])
    counts = ", ".join(f"{corpus[part]['articles']:,} {part}" for part in PARTS)
    return f"{names}: {counts} articles, {corpus['test']['key']:,} test key sentences, {corpus['sha256'][:8]}"


def _chart_and_table(experiment: str, rows: Sequence[Row], metric: str) -> None:
    table = table_of(rows)
    show_figure(
        metric_by_row([(row.name, row.values(metric)) for row in rows], table, metric, METRICS[metric]), key="by_row"
    )
    text_table(cells_of(table), "Measures by row", heads={"": "Row"})
    csv_button("Every run as CSV", experiment, lambda: as_csv(rows))


def _comparison(rows: Sequence[Row]) -> None:
    st.subheader("Two rows, article by article")
    left, right = st.columns(2)
    numbers = range(len(rows))
    first = left.selectbox("Row", numbers, format_func=lambda number: rows[number].name)
    second = right.selectbox("compared with", numbers, index=len(rows) - 1, format_func=lambda n: rows[n].name)
    if first == second:
        st.info("Choose two different rows.", icon=":material/info:")
        return
    found = paired(rows[first], rows[second])
    change = found.difference
    interval = f"{change_written(change.low)} to {change_written(change.high)}"
    st.markdown(
        f"**{change_written(change.mean)}** R-precision (95 % bootstrap interval {interval}, over "
        f"{len(found.articles):,} articles) of {shown(rows[second].name)} over {shown(rows[first].name)}: "
        f"{found.better} articles better, {found.equal} equal, {found.worse} worse, seeds averaged."
    )
    show_figure(differences(found.articles), key="differences")
