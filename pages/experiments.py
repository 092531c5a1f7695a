"""Experiments: start one of the shipped grids on the stored labels, and compare the results."""

from typing import Any

import streamlit as st

from annotate.experiments.experiment_spec import parse_spec, read_spec, shipped_specs
from annotate.experiments.experiment_tables import METRICS
from db.tables import ExperimentRun
from pages.parts.experiments.experiment_view import results
from pages.parts.experiments.finished_runs import chosen_study, failed_runs, finished_studies
from pages.parts.frame.page import open_page
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import job_logs, job_panel, start_job

FIRST = "presets"
NAMED_ROWS = 6

open_page()
job_panel(["experiment"])
failed_runs("experiment", "runs")
specs = {name: read_spec(path) for name, path in shipped_specs().items()}
titles = {name: parse_spec(content).title for name, content in specs.items()}


def start_experiment() -> None:
    """Starts the chosen grid with what the form holds at the click."""
    state = st.session_state
    payload: dict[str, Any] = {"spec": specs[state.spec], "seeds": state.seeds, "limit": state.limit}
    start_job("experiment", payload)


with st.container(border=True):
    spec, seeds, limit, button = st.columns([4, 1, 2, 2], vertical_alignment="bottom")
    chosen = spec.selectbox(
        "Experiment on the stored labels",
        list(specs),
        list(specs).index(FIRST),
        format_func=titles.__getitem__,
        key="spec",
    )
    seeds.number_input("Seeds", 1, 20, 3, key="seeds")
    limit.number_input("Articles a split", 1, None, None, key="limit", placeholder="all", help="Fewer for a quick try.")
    button.button("Run", type="primary", width="stretch", on_click=start_experiment)
    runs = parse_spec(specs[chosen], st.session_state.seeds).runs
    names = list(dict.fromkeys(run.row for run in runs))
    more = [f"and {len(names) - NAMED_ROWS} more"] if len(names) > NAMED_ROWS else []
    st.caption(
        shown(f"{len(runs)} runs, {len(names)} rows: {'; '.join(names[:NAMED_ROWS] + more)}. ")
        + "Each trains on the train articles and ranks the test articles; no version is made. "
        "Finished runs are not run again."
    )

found = finished_studies(ExperimentRun)
if not found:
    st.info("No experiment has finished a run yet. Run starts one.", icon=":material/inbox:")
else:
    st.subheader("Results")
    left, right = st.columns([4, 1])
    chosen = chosen_study(left, "Experiment", found, "runs", titles)
    results(chosen, right.selectbox("Measure", list(METRICS), format_func=METRICS.__getitem__))
job_logs(["experiment"])
