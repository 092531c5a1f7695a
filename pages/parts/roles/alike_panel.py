"""The panel More like this: sentences that do or say the same as one sentence; the chosen ones become a function."""

import streamlit as st

import db.articles
from annotate.project.home import read
from annotate.roles.alike import NotRead, alike
from annotate.roles.own import NotPossible, create
from pages.parts.frame.page import end_with, link_to, number_in_address
from pages.parts.frame.text import shown
from pages.parts.frame.told import trying
from pages.parts.roles.own_tab import choose_from, chosen_from, forget_choices

LIKE, PROBLEM, MADE = "like", "function_error", "function_made"


def alike_panel(by: str) -> None:
    """Draws the sentence of the address, those like it, and the field that names a function of the chosen ones."""
    article_id, position = number_in_address("article"), number_in_address("sentence")
    if article_id is None or position is None:
        end_with("Choose a sentence in Review, and then More like this.", icon="touch_app")
    weight, where = st.columns([3, 1], vertical_alignment="center")
    share = weight.slider("From meaning (0) to function (100)", 0, 100, 50, 10, key="share", format="%d %%")
    library = where.toggle("The whole library", key="where")
    with read() as session:
        asked = db.articles.sentences_at(session, {(article_id, position)}).get((article_id, position))
        try:
            found = alike(session, article_id, position, share / 100, library=library) if asked else []
        except NotRead as error:
            st.warning(f"{str(error).capitalize()}.")
            return
    if asked is None:
        st.error("There is no such sentence. The address may be of another database.")
        return
    st.markdown(f"**{shown(asked.text)}**")
    choose_from(found, LIKE)
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(shown(problem), icon=":material/error:")
    if made := st.session_state.pop(MADE, None):
        told = f"{made} is a function now: Roles lists more sentences that may have it."
        st.success(shown(told), icon=":material/check:")
        link_to("functions", "Roles")
    with st.form("name_function", border=True):
        st.caption("Do the chosen sentences do the same as this one? Name it, and others like them are proposed.")
        st.text_input("Name of the function", key="function_name", max_chars=60, placeholder="names the reagent")
        st.form_submit_button("Name the function", on_click=_name, args=(by, asked.id))


def _name(by: str, sentence_id: int) -> None:
    """Makes a function of a sentence and those that are chosen."""
    named = st.session_state.function_name
    with trying(PROBLEM, errors=(NotPossible, ValueError)):
        create(by, named, [sentence_id, *chosen_from(LIKE)])
        forget_choices(LIKE)
        st.session_state[MADE] = named
