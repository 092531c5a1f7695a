"""The results of an experiment: a chart by row, and two rows compared article by article."""

from collections.abc import Sequence

import streamlit as st

from annotate.evaluation.metric_labels import change_written
from annotate.experiments.experiment_tables import METRICS, paired, table_of
from annotate.experiments.study_tables import Row
from pages.parts.experiments.experiment_charts import differences, metric_by_row
from pages.parts.frame.text import shown
from pages.parts.shared.figures import show_figure


def chart(rows: Sequence[Row]) -> None:
    """Draws a measure by row."""
    metric = st.selectbox("Measure", list(METRICS), format_func=METRICS.__getitem__)
    values = [(row.name, row.values(metric)) for row in rows]
    show_figure(metric_by_row(values, table_of(rows), metric, METRICS[metric]), key="by_row")


def comparison(rows: Sequence[Row]) -> None:
    """Compares two rows, where there are two."""
    if len(rows) < 2:
        return
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
