"""What the pages of experiments and simulations share: which has finished runs, of which corpus, and which failed."""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.finished_runs
from annotate.experiments.experiment_tables import by_corpus
from annotate.project.home import read
from annotate.project.rights import Right
from db.tables.experiments import FinishedRun
from db.values import JobState
from pages.parts.shared.downloads import CSV, File, offer
from pages.parts.shared.job_panel import latest_job
from pages.parts.shared.tables import text_table


def failed_runs(kind: str, runs: str) -> None:
    """Which runs of the last job of this kind failed, where others did not; `runs` is what they are called."""
    job = latest_job(kind)
    if job and job.state == JobState.DONE and (failed := job.result.get("failed")):
        st.warning(f"{len(failed)} of {job.result['runs']} {runs} failed.", icon=":material/warning:")
        text_table(failed, "What failed")


def finished_studies(table: type[FinishedRun]) -> dict[str, tuple[int, str]]:
    """By name of each study how many finished runs it has, and when the last one ended."""
    with read() as session:
        return {name: (count, last) for name, count, last in db.finished_runs.experiments(session, table)}


def chosen_study(
    place: DeltaGenerator, label: str, found: dict[str, tuple[int, str]], runs: str, titles: dict[str, str]
) -> str:
    """The name of the chosen study. `titles` has the titles of shipped studies; the others show their names."""
    return place.selectbox(
        label,
        list(found),
        format_func=lambda name: f"{titles.get(name, name)} · {found[name][0]} {runs} · {found[name][1][:10]}",
    )


def runs_of_one_corpus(
    study: str, table: type[FinishedRun], described: Callable[[FinishedRun], str]
) -> Sequence[FinishedRun]:
    """The finished runs of a study on one corpus, which is asked for where there are several."""
    with read() as session:
        corpora = by_corpus(db.finished_runs.runs_of(session, study, table))
    choices = list(corpora)
    chosen = choices[0]
    if len(choices) > 1:
        chosen = st.selectbox("Corpus", choices, format_func=lambda sha256: described(corpora[sha256][0]))
    return corpora[chosen]


def csv_button(label: str, study: str, make: Callable[[], str]) -> None:
    """The way to a file that is made when it is asked for."""
    offer([File(label, f"{study}.csv", CSV, Right.STUDY, make)], key=f"study_{study}")
