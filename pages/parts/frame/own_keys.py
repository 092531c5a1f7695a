"""The keys of whoever is here: a dialog that changes those of the review, and sets them back."""

import streamlit as st

from annotate.project.home import read
from annotate.review.keys import ACTIONS, BadKeys, all_keys, choose_keys
from pages.parts.frame.text import shown

PROBLEM, SAVED = "own_keys_problem", "own_keys_saved"
ABOUT = (
    "One letter or digit each, for Review and the training round. Arrows, brackets, ? and Esc stay as they are. "
    "The keys are kept with your name; ? in Review shows them."
)


def keys_button(name: str) -> None:
    """The button that opens the dialog of this person."""
    if st.button("My keys", icon=":material/keyboard:", key="own_keys", width="stretch"):
        _keys(name)


@st.dialog("My keys", width="medium")
def _keys(name: str) -> None:
    st.caption(ABOUT)
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(shown(problem), icon=":material/error:")
    if saved := st.session_state.pop(SAVED, None):
        st.success(saved, icon=":material/check:")
    with read() as session:
        keys = all_keys(session, name)
    with st.form("own_keys_form", border=False):
        columns = st.columns(2)
        half = -(-len(ACTIONS) // 2)
        for place, (action, each) in enumerate(ACTIONS.items()):
            label = each.words[:1].upper() + each.words[1:]
            columns[place // half].text_input(label, keys[action].upper(), key=_field(action), max_chars=1)
        save, back = st.columns(2)
        save.form_submit_button("Save", type="primary", on_click=_save, args=(name,), width="stretch")
        back.form_submit_button("Back to the standard", on_click=_set_back, args=(name,), width="stretch")


def _field(action: str) -> str:
    return f"own_key_{action}"


def _save(name: str) -> None:
    try:
        choose_keys(name, {action: st.session_state[_field(action)] for action in ACTIONS})
    except BadKeys as error:
        st.session_state[PROBLEM] = f"Not saved: {error}."
    else:
        _kept("Saved.")


def _set_back(name: str) -> None:
    choose_keys(name, {})
    for action, each in ACTIONS.items():
        st.session_state[_field(action)] = each.key.upper()
    _kept("All keys are the standard ones.")


def _kept(words: str) -> None:
    st.session_state[SAVED] = words
    st.session_state.visit = st.session_state.get("visit", 0) + 1  # an open article is mounted anew with them
    st.session_state.pop("practice_of", None)
