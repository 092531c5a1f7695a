"""The form or the switch of a choice of the project: what holds, and another choice in its place."""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

import db.rows
from annotate.project.acting import current_actor
from annotate.project.home import read
from annotate.project.stored_settings import StoredSettings, change_settings, settings_now
from db.tables import Setting
from model.checked_settings import names_of
from pages.parts.frame.messages import keep_error
from pages.parts.frame.text import local_time, shown

S = TypeVar("S", bound=StoredSettings)


def settings_form(
    kind: type[S],
    fields: Callable[[S, str], None],
    error: str,
    *,
    as_stored: Callable[[dict[str, Any]], dict[str, Any]] = dict,
    locked: str = "",
) -> None:
    """Draws the form. `fields` draws it in what holds, a widget with the key NAME_FORM for the setting of each name.

    What is chosen is stored under the name of the person who acts, once `as_stored` has made settings of what the
    widgets hold; a refusal is left under `error`. `locked` says who may change it, where this person may not.
    """
    with read() as session:
        settings = settings_now(session, kind)
        stored = db.rows.find(session, Setting, name=kind.NAME)
    # Another choice is a fresh form: none overwrites what it did not show.
    form = f"{kind.NAME}_{stored.id if stored else 0}"

    def save() -> None:
        chosen = {name: st.session_state[f"{name}_{form}"] for name in names_of(kind)}
        with keep_error(error, "Not saved: {}."):
            change_settings(current_actor().name, kind(**as_stored(chosen)))

    with st.form(form, border=False):
        fields(settings, form)
        st.form_submit_button("Save", type="primary", on_click=save, disabled=bool(locked))
        if locked:
            st.caption(locked)
        if stored:
            st.caption(f"Set by {shown(stored.changed_by)}, {local_time(stored.created_at)}.")


def setting_switch(label: str, settings: StoredSettings, name: str, *, help: str) -> None:
    """A switch of one of these settings, which hold now; turned, it is stored under the name of the person who acts."""
    on, kind = getattr(settings, name), type(settings)
    turned = kind(**{each: getattr(settings, each) for each in names_of(kind)} | {name: not on})
    st.toggle(
        label,
        on,
        key=f"{settings.NAME}_{name}_{on}",  # another choice is a fresh switch
        on_change=change_settings,
        args=(current_actor().name, turned),
        help=help,
    )
