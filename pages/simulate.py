"""Simulate: replay the stored labels under query strategies, and see what each would have saved."""

from typing import Any

import streamlit as st

from annotate.experiments.simulation_spec import parse_spec, read_spec, shipped_specs
from db.tables import SimulationRun
from model.active_learning.acquisition import STRATEGIES
from pages.parts.experiments.finished_runs import chosen_study, failed_runs, finished_studies
from pages.parts.experiments.simulation_view import replays
from pages.parts.frame.page import open_page
from pages.parts.shared.job_panel import job_logs, job_panel, start_job

FIRST = "strategies"
USUAL = ["random", "score", "committee", "change", "information"]

open_page()
job_panel(["simulate"])
failed_runs("simulate", "replays")
specs = {name: read_spec(path) for name, path in shipped_specs().items()}
shipped = {name: parse_spec(content) for name, content in specs.items()}
titles = {name: simulation.title for name, simulation in shipped.items()}
# The others need files, which the command line names.
of_labels = [name for name, simulation in shipped.items() if simulation.files is None]


def changed(spec: str, strategies: list[str], articles: int | None) -> dict[str, Any]:
    """The content of a shipped spec with what the form says."""
    return specs[spec] | {"strategies": strategies or USUAL} | ({"articles": articles} if articles else {})


def start_simulation() -> None:
    """Starts the chosen replays with what the form holds at the click."""
    state = st.session_state
    start_job("simulate", {"spec": changed(state.spec, state.strategies, state.articles), "seeds": state.seeds})


with st.container(border=True):
    spec, seeds, articles, button = st.columns([4, 1, 2, 2], vertical_alignment="bottom")
    chosen = spec.selectbox(
        "Simulation on the stored labels", of_labels, of_labels.index(FIRST), format_func=titles.__getitem__, key="spec"
    )
    seeds.number_input("Seeds", 1, 50, 5, key="seeds")
    articles.number_input("Articles read", 1, None, None, key="articles", placeholder="as in the spec")
    button.button("Run", type="primary", width="stretch", on_click=start_simulation)
    st.multiselect(
        "Strategies", list(STRATEGIES), USUAL, format_func=lambda name: STRATEGIES[name].label, key="strategies"
    )
    plan = parse_spec(changed(chosen, st.session_state.strategies, st.session_state.articles), st.session_state.seeds)
    names = len({run.row for run in plan.runs})
    st.caption(
        f"{len(plan.runs)} replays, {names} lines. In each, articles with labels are handed out as if unread: "
        "your labels answer, and the ranking learns. No verdict is stored. Finished replays are not done again."
    )

found = finished_studies(SimulationRun)
if not found:
    st.info(
        "No simulation has finished a replay yet. Run starts one, once articles have labels.", icon=":material/inbox:"
    )
else:
    st.subheader("Results")
    replays(chosen_study(st.container(), "Simulation", found, "replays", titles))
job_logs(["simulate"])
