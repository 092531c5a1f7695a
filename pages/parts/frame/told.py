"""What a click left to be told: it stands on the page until the next one, however often a job draws the page anew."""

from typing import Any, NoReturn

import streamlit as st

AGAIN = "drawn_again"  # nobody did anything: a job has ended, say
STANDING = "standing_on_the_page"


def begin_run() -> None:
    """For the beginning of each page: what stood there goes, unless the page is only drawn anew."""
    if not st.session_state.pop(AGAIN, False):
        st.session_state[STANDING] = {}


def draw_again() -> NoReturn:
    """Draws the page anew, since something behind it has changed; what was told stays."""
    st.session_state[AGAIN] = True
    st.rerun()


def told(name: str) -> Any:
    """What a callback has left under this name in the session, now or before the page was drawn anew; else None."""
    standing = st.session_state.setdefault(STANDING, {})
    if name in st.session_state:
        standing[name] = st.session_state.pop(name)
    return standing.get(name)
