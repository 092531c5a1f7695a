"""The keys of the person who is here: a dialog that shows and changes them page by page, and resets them."""

import streamlit as st

from annotate.project.home import look_up
from annotate.review.keys import PAGES, REVIEW, BadKeys, all_keys, choose_keys
from pages.parts.frame.messages import keep_error
from pages.parts.frame.text import shown
from pages.parts.frame.who import make_way

PROBLEM, SAVED, CHOSEN = "own_keys_problem", "own_keys_saved", "own_keys_page"
ABOUT = (
    "One letter or digit each. Arrows, brackets, Enter, ? and Esc stay as they are. "
    "The keys are kept with your name; buttons show them, and ? in Review."
)


def keys_button(name: str) -> None:
    """The button that opens the dialog of this person."""
    if st.button("My keys", icon=":material/keyboard:", key="own_keys", on_click=make_way):
        _keys(name)


@st.dialog("My keys", width="medium", on_dismiss="rerun")
def _keys(name: str) -> None:
    st.caption(ABOUT)
    page = st.segmented_control(
        "Page",
        list(PAGES),
        default=REVIEW,
        format_func=lambda each: PAGES[each].title,
        key=CHOSEN,
        label_visibility="collapsed",
    )
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(shown(problem), icon=":material/error:")
    if saved := st.session_state.pop(SAVED, None):
        st.success(saved, icon=":material/check:")
    _form(name, page or REVIEW)


def _form(name: str, page: str) -> None:
    actions = PAGES[page].actions
    keys = look_up(all_keys, name, page)
    with st.form(f"own_keys_form_{page}", border=False):
        columns = st.columns(2)
        half = -(-len(actions) // 2)
        for place, (action, each) in enumerate(actions.items()):
            label = each.words[:1].upper() + each.words[1:]
            columns[place // half].text_input(label, keys[action].upper(), key=_field(page, action), max_chars=1)

        def save() -> None:
            with keep_error(PROBLEM, "Not saved: {}.", (BadKeys,)):
                choose_keys(name, {action: st.session_state[_field(page, action)] for action in actions}, page)
                _kept("Saved.")

        def set_back() -> None:
            choose_keys(name, {}, page)
            for action, each in actions.items():
                st.session_state[_field(page, action)] = each.key.upper()
            _kept("All keys of this page are the standard ones.")

        left, right = st.columns(2)
        left.form_submit_button("Save", type="primary", on_click=save)
        right.form_submit_button("Back to the standard", on_click=set_back)


def _field(page: str, action: str) -> str:
    return f"own_key_{page}_{action}"


def _kept(words: str) -> None:
    st.session_state[SAVED] = words
    st.session_state.visit = st.session_state.get("visit", 0) + 1  # an open article is mounted again with them
    st.session_state.pop("practice_of", None)
