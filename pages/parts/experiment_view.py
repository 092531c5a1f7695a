"""What came out of an experiment: a chart by row, the table, and two rows compared article by article."""

from collections.abc import Sequence

import streamlit as st

import db.experiments
from annotate.corpora import PARTS
from annotate.experiment_tables import METRICS, Row, as_csv, by_corpus, cells_of, paired, rows_of, table_of
from annotate.home import read
from annotate.rights import Right
from db.learning_tables import ExperimentRun
from pages.parts.downloads import made_for
from pages.parts.evaluation_tables import table_of_cells
from pages.parts.experiment_charts import differences, metric_by_row
from pages.parts.job_panel import latest_job
from pages.parts.page import shown


def failures() -> None:
    """Which runs of the last experiment failed, where others did not."""
    job = latest_job("experiment")
    failed = job.result.get("failed") if job and job.state == "done" else None
    if failed:
        st.warning(f"{len(failed)} of {job.result['runs']} runs failed.", icon=":material/warning:")
        st.dataframe(failed, hide_index=True, width="stretch")


def results(experiment: str, metric: str) -> None:
    """The finished runs of an experiment, of one corpus at a time, with a chart of one of METRICS."""
    with read() as session:
        corpora = by_corpus(db.experiments.runs_of(session, experiment))
    choices = list(corpora)
    chosen = choices[0]
    if len(choices) > 1:
        chosen = st.selectbox("Corpus", choices, format_func=lambda sha256: _described(corpora[sha256][0]))
    runs = corpora[chosen]
    rows = rows_of(runs)
    st.caption(
        shown(f"{_described(runs[0])}. {len(runs)} runs finished, the last on {runs[0].created_at[:10]}. ")
        + "± is two standard deviations over the seeds; a row with one seed has none."
    )
    _chart_and_table(experiment, rows, metric)
    if len(rows) > 1:
        _comparison(rows)


def _described(run: ExperimentRun) -> str:
    corpus = run.corpus
    names = " + ".join(source["name"] for source in corpus["sources"])
    counts = ", ".join(f"{corpus[part]['articles']:,} {part}" for part in PARTS)
    return f"{names}: {counts} articles, {corpus['test']['key']:,} test key sentences, {corpus['sha256'][:8]}"


def _chart_and_table(experiment: str, rows: Sequence[Row], metric: str) -> None:
    table = table_of(rows)
    st.plotly_chart(
        metric_by_row([(row.name, row.values(metric)) for row in rows], table, metric, METRICS[metric]),
        key="by_row",
        config={"displayModeBar": False},
    )
    table_of_cells(cells_of(table))
    st.download_button(
        "Every run as CSV",
        made_for(Right.STUDY, lambda: as_csv(rows)),
        f"{experiment}.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
    )


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
    st.markdown(
        f"**{change.mean:+.3f}** R-precision (95 % bootstrap interval over articles {change.low:+.3f} to "
        f"{change.high:+.3f}) of {shown(rows[second].name)} over {shown(rows[first].name)}: "
        f"{found.better} articles better, {found.equal} equal, {found.worse} worse, seeds averaged."
    )
    st.plotly_chart(differences(found.articles), key="differences", config={"displayModeBar": False})
