"""Keeps the index of the search up to date while somebody looks, and says how far it is behind."""

import streamlit as st

import db.jobs
from annotate.jobs.lifecycle import start_after_other_work
from annotate.project.words import count_of
from annotate.search.index_files import DamagedIndex
from annotate.search.upkeep import catch_up
from db.values import JobState
from pages.parts.shared.job_panel import job_panel, latest_job


def bring_up() -> None:
    """Indexes a few missing articles at once; for more, says how many, and starts the job."""
    try:
        behind = catch_up()
        note = f"The index is {count_of(behind, 'article')} behind: it is being updated."
    except DamagedIndex:
        behind, note = 1, "The index is damaged: it is being built again."
    if not behind:
        return
    latest = latest_job("index")
    ended_badly = latest is not None and latest.state in (JobState.FAILED, JobState.CANCELLED)
    if not ended_badly and (latest is None or latest.state not in db.jobs.ACTIVE):
        start_after_other_work("index", {})
    if ended_badly:
        note = note.replace("it is being", "it is to be")
        st.button("Update the index", on_click=start_after_other_work, args=("index", {}), icon=":material/sync:")
    st.caption(note)
    job_panel(["index"])
