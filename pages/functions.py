"""Roles: sentences that do the same as one sentence, and the functions that the team named itself."""

import streamlit as st

import db.articles
import db.roles
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings, settings_now
from annotate.proposing.roles import RankingSettings
from annotate.review.sentence_roles import FunctionSettings
from annotate.roles.alike import NotRead, alike
from annotate.roles.view import count_waiting
from pages.parts.frame.page import end_with, may, number_in_address, open_page, require_annotator
from pages.parts.frame.text import shown
from pages.parts.frame.told import say
from pages.parts.roles.own_tab import LIKE, choose_from, model_tab, name_a_function, own_tab
from pages.parts.shared.job_panel import job_panel, start_job

RANKING_HELP = "The ranking that learns from verdicts sees what each sentence does. All articles are proposed again."
header = open_page()
by = require_annotator()


def switch() -> None:
    """Stores whether roles are read and shown; once they are, what came meanwhile, also a model, gets its turn."""
    change_settings(by, FunctionSettings(roles=st.session_state.roles_on))
    waiting = look_up(count_waiting)
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
        unread = count_waiting(session)
    if unread and on and may(Right.IMPORT):
        note, action = st.columns([4, 1], vertical_alignment="center")
        note.caption(f"Of {unread:,} articles the model in use has not told yet what the sentences do.")
        action.button("Read them", on_click=start_job, args=("functions", {}), width="stretch")
    say("function_error")
    say("function_made", st.success, "check")
if may(Right.QUEUE):
    header.toggle("Roles in the reader", value=on, key="roles_on", on_change=switch)
if may(Right.EVALUATE):
    header.toggle(
        "Roles in the ranking", value=ranking_on, key="roles_rank", on_change=rank_by_roles, help=RANKING_HELP
    )
like, own, model = st.tabs(["More like this", "The team's own", "The model"])
with own:
    own_tab(by)
with model:
    model_tab()
with like:
    article_id, position = number_in_address("article"), number_in_address("sentence")
    if article_id is None or position is None:
        end_with("Choose a sentence in Review, and then More like this.", icon="touch_app")
    share = st.slider("From meaning (0) to function (100)", 0, 100, 50, 10, key="share", format="%d %%")
    library = st.radio("Where", ["this article", "the whole library"], horizontal=True, key="where") != "this article"
    with read() as session:
        asked = db.articles.sentences_at(session, {(article_id, position)}).get((article_id, position))
        try:
            found = alike(session, article_id, position, share / 100, library=library) if asked else []
        except NotRead as error:
            st.warning(f"{str(error).capitalize()}.")
            st.stop()
    if asked is None:
        st.error("There is no such sentence. The address may be of another database.")
        st.stop()
    st.session_state.asked_sentence = asked.id
    st.markdown(f"**{shown(asked.text)}**")
    choose_from(found, LIKE)
    with st.form("name_function", border=True):
        st.caption("Do the chosen sentences do the same as this one? Name it, and others like them are proposed.")
        st.text_input("Name of the function", key="function_name", max_chars=60, placeholder="names the reagent")
        st.form_submit_button("Name the function", on_click=name_a_function, args=(by,))
