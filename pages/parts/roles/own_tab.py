"""The functions that the team named: their examples, and sentences that may have them, too."""

import streamlit as st

import db.roles
from annotate.project.home import read
from annotate.roles.own import NotPossible, create, examples, proposed, say
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time
from pages.parts.roles.sentence_list import choose_from, chosen_from, example_rows, forget_choices
from pages.parts.shared.tables import show_table

LIKE, NEAREST = "like", "nearest"


def name_a_function(by: str) -> None:
    """Makes a function of the sentences that are chosen in the list of those alike, and of the one asked about."""
    asked = st.session_state.get("asked_sentence")
    try:
        create(by, st.session_state.function_name, [*([asked] if asked else []), *chosen_from(LIKE)])
    except (NotPossible, ValueError) as error:
        st.session_state.function_error = str(error)
        return
    forget_choices(LIKE)
    st.session_state.function_made = st.session_state.function_name


def _say(by: str, function_id: int, has_it: bool) -> None:
    say(by, function_id, dict.fromkeys(chosen_from(NEAREST), has_it))
    forget_choices(NEAREST)


def own_tab(by: str) -> None:
    """Shows one function after another, as chosen."""
    with read() as session:
        named = {one.id: one for one in db.roles.own_functions(session)}
    if not named:
        st.info("No function has been named yet: choose three sentences that do the same, and name it.")
        return
    number = st.selectbox("Function", list(named), format_func=lambda one: named[one].name, key="own_function")
    one = named[number]
    st.caption(shown(f"Named by {one.created_by}, {local_time(one.created_at)}"))
    with read() as session:
        told = examples(session, number)
        nearest = proposed(session, number)
    st.subheader("Do these have it, too?")
    choose_from(nearest, NEAREST)
    if not nearest:
        st.caption("No other sentence has been read yet.")
    yes, no = st.columns(2)
    yes.button("The chosen ones have it", on_click=_say, args=(by, number, True), width="stretch", disabled=not nearest)
    no.button("They have it not", on_click=_say, args=(by, number, False), width="stretch", disabled=not nearest)
    st.subheader("What was said")
    show_table(example_rows(told), width="stretch")
