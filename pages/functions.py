"""Roles: the functions that the team named itself, the model that tells roles, and where they are used."""

import streamlit as st

from annotate.project.home import read
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings, settings_now
from annotate.project.words import count_of
from annotate.proposing.roles import RankingSettings
from annotate.review.sentence_roles import FunctionSettings
from annotate.roles.view import count_waiting
from db.jobs import ACTIVE
from pages.parts.frame.page import PAGES, may, open_page, require_annotator
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.shown import PANEL
from pages.parts.roles.own_tab import model_tab, own_tab
from pages.parts.shared.job_panel import job_panel, latest_job, start_job

RANKING_HELP = (
    "The ranking that learns from verdicts sees the role of each sentence. Keyline then proposes in all articles again."
)
open_page()
if "sentence" in st.query_params:  # an address of earlier releases: what is like a sentence
    st.switch_page(PAGES / "articles.py", query_params={**st.query_params, PANEL: "alike"})
by = require_annotator()


def switch() -> None:
    """Stores whether roles are read and shown; once they are, what came meanwhile, also a model, gets its turn."""
    change_settings(by, FunctionSettings(roles=st.session_state.roles_on))
    waiting = count_waiting()
    if st.session_state.roles_on and waiting:
        start_job("functions", {})


def rank_by_roles() -> None:
    """Stores whether the rankings see roles, and starts a new ranking."""
    change_settings(by, RankingSettings(roles=st.session_state.roles_rank))
    start_job("propose", {})


with st.container():  # always there: the tabs below keep their place, and so the one that is open, when a notice goes
    job_panel(["functions"])
    with read() as session:
        on = settings_now(session, FunctionSettings).roles
        ranking_on = settings_now(session, RankingSettings).roles
    unread = count_waiting()
    job = latest_job("functions")
    if unread and on and may(Right.IMPORT) and not (job and job.state in ACTIVE):
        note, action = words_and_action()
        note.caption(f"The version in use has not read the roles in {count_of(unread, 'article')} yet.")
        action.button("Read them", on_click=start_job, args=("functions", {}))
with st.container(horizontal=True, gap="medium"):
    if may(Right.QUEUE):
        st.toggle("Roles in the reader", value=on, key="roles_on", on_change=switch)
    if may(Right.EVALUATE):
        st.toggle(
            "Roles in the ranking", value=ranking_on, key="roles_rank", on_change=rank_by_roles, help=RANKING_HELP
        )
own, model = st.tabs(["The team's own", "The model"])
with own:
    own_tab(by)
with model:
    model_tab()
