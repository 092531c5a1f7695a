"""The folder whose new files are imported by themselves: which one, and a way to choose another or none."""

from pathlib import Path

import streamlit as st

from annotate.operations.watched_folder import WatchSettings, refuse_own_data
from annotate.project.acting import current_actor
from annotate.project.home import read
from annotate.project.stored_settings import change_settings, settings_now
from pages.parts.frame.text import shown


def watch_form() -> None:
    """A field and a button; for those who may read the machine's files."""
    with read() as session:
        watched = settings_now(session, WatchSettings).folder
    path, action = st.columns([5, 1], vertical_alignment="bottom")
    if watched:
        state = "New files in it are imported within two minutes." if Path(watched).is_dir() else "It is not there."
        path.markdown(f"Watched folder: **{shown(watched)}**. {state}")
        action.button("Stop watching", on_click=_watch, args=("",), width="stretch", key="watch_stop")
        return
    path.text_input("Or a folder whose new files are imported by themselves", key="watch_path")
    action.button("Watch", on_click=_watch_chosen, width="stretch", key="watch_start")


def _watch_chosen() -> None:
    given = st.session_state.watch_path.strip()
    path = Path(given).expanduser()
    if not given or not path.is_dir():
        st.session_state.import_error = f"There is no folder {path} on the machine that runs Keyline."
        return
    try:
        refuse_own_data(path)
    except ValueError as error:
        st.session_state.import_error = f"Not watched: {error}."
    else:
        _watch(str(path.resolve()))


def _watch(folder: str) -> None:
    change_settings(current_actor().name, WatchSettings(folder=folder))
