"""The tokens of the person who is here: a dialog that makes them, shows each once, and revokes them."""

import streamlit as st

from annotate.project.names import MAX_NAME
from annotate.team.api_tokens import NoSuchToken, make, my_tokens, revoke
from db.tables import ApiToken
from pages.parts.frame.messages import keep_error
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import local_time, shown
from pages.parts.frame.who import make_way

MADE, PROBLEM, NAME = "api_token_made", "api_token_problem", "api_token_name"
ABOUT = "A program with a token may do what you may do, until you revoke it. docs/api.md tells how."


def tokens_button() -> None:
    """The button that opens the dialog."""
    if st.button("API tokens", icon=":material/key:", key="api_tokens", on_click=make_way):
        _tokens()


@st.dialog("API tokens", width="medium")
def _tokens() -> None:
    st.caption(ABOUT)
    if made := st.session_state.pop(MADE, None):
        st.success("Copy it now: it is not shown again.", icon=":material/key:")
        st.code(made, language=None, wrap_lines=True)
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(shown(problem), icon=":material/error:")
    for token in my_tokens():
        token_row(token, whose="")
    with st.form("make_api_token", border=False):
        field, action = words_and_action("bottom")
        field.text_input("What is it for?", key=NAME, max_chars=MAX_NAME, placeholder="e.g. Training on the cluster")

        def make_it() -> None:
            with keep_error(PROBLEM, "Not made: {}."):
                st.session_state[MADE] = make(st.session_state[NAME])
                st.session_state[NAME] = ""

        action.form_submit_button("Make", type="primary", on_click=make_it)


def token_row(token: ApiToken, whose: str) -> None:
    """A token with the button that revokes it; `whose` stands before its name."""
    text, action = words_and_action()
    used = f"last used {local_time(token.last_used_at)}" if token.last_used_at else "never used"
    text.markdown(f"**{shown(whose + token.name)}** · made {local_time(token.created_at)}, {used}")
    key = f"revoke_{'all' if whose else 'mine'}_{token.id}"

    def revoke_it() -> None:
        with keep_error(PROBLEM, "It was revoked already.", (NoSuchToken,)):
            revoke(token.id)

    action.button("Revoke", key=key, on_click=revoke_it)
