"""The message that a click leaves: it stands on the page until the next click, also if a job draws the page again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import streamlit as st

from pages.parts.frame.text import shown

AGAIN = "drawn_again"  # by a job that ended, say, and not by a click
STANDING = "standing_on_the_page"


def begin_run() -> None:
    """Begins a page: earlier messages go, unless the page is only drawn again."""
    if not st.session_state.pop(AGAIN, False):
        st.session_state[STANDING] = {}


def draw_again() -> NoReturn:
    """Draws the page again, since its data have changed; messages stay."""
    st.session_state[AGAIN] = True
    st.rerun()


def message_of(name: str) -> Any:
    """The message that a callback left under this name, also before the page was drawn again; else None."""
    standing = st.session_state.setdefault(STANDING, {})
    if name in st.session_state:
        standing[name] = st.session_state.pop(name)
    return standing.get(name)


@contextmanager
def keep_error(name: str, words: str = "{}", errors: tuple[type[Exception], ...] = (ValueError,)) -> Iterator[None]:
    """Around what a click does: keeps the reason of an error under this name, in these words, for `show_message`."""
    try:
        yield
    except errors as error:
        st.session_state[name] = words.format(error)


def show_message(name: str, draw: Callable[..., Any] = st.error, icon: str = "error") -> None:
    """Shows the message that a callback left under this name, by default as an error; nothing where it left none."""
    if message := message_of(name):
        draw(shown(message), icon=f":material/{icon}:")
