"""The queue's settings: a form behind a button, stored under the name of the person who saves it."""

from dataclasses import asdict
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.curation.tags
import db.rows
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings, settings_now
from annotate.review.queue_settings import QueueSettings
from db.tables import Setting
from model.active_learning.acquisition import STRATEGIES
from model.checked_settings import bounds
from pages.parts.frame.page import may
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time
from pages.parts.frame.told import told

SHARES = {
    "random_share": ("Drawn by lot, %", "An unbiased sample: estimates of what is still unfound rest on it."),
    "blind_share": ("Shown without proposals, %", "Measures how far proposals sway what experts find."),
    "double_share": (
        "Annotated by several, %",
        "Blind to each other. Fixed by a hash of the article; a greater share adds.",
    ),
}


ANY_TAG = "any"
TAGS = {"with_tag": "Only articles tagged", "without_tag": "No articles tagged"}


def settings_form(place: DeltaGenerator, by: str) -> None:
    """Draws the button and the form behind it."""
    with read() as session:
        settings = settings_now(session, QueueSettings)
        stored = db.rows.find(session, Setting, name=QueueSettings.NAME)
    form = f"queue_{stored.id if stored else 0}"  # another choice is a fresh form: none overwrites what it did not show
    with place.popover("Settings", icon=":material/tune:"), st.form(form, border=False):
        _fields(settings, form)
        locked = not may(Right.QUEUE)
        st.form_submit_button("Save", type="primary", width="stretch", on_click=_save, args=(form, by), disabled=locked)
        if locked:
            st.caption("Curators set the queue.")
        if stored:
            st.caption(f"Set by {shown(stored.changed_by)}, {local_time(stored.created_at)}.")
    if message := told("queue_error"):
        st.error(shown(message), icon=":material/error:")


def _fields(settings: QueueSettings, form: str) -> None:
    st.selectbox(
        "Which article comes next",
        list(STRATEGIES),
        index=list(STRATEGIES).index(settings.strategy),
        format_func=lambda name: f"{STRATEGIES[name].label}: {STRATEGIES[name].explanation}",
        key=f"strategy_{form}",
    )
    for column, (name, (label, help_text)) in zip(st.columns(3), SHARES.items(), strict=True):
        percent = round(100 * getattr(settings, name), 2)
        column.number_input(label, 0.0, 100.0, percent, 1.0, "%g", key=f"{name}_{form}", help=help_text)
    experts, lease = st.columns([1, 2])
    for column, name, label in (
        (experts, "experts", "Experts for each of those"),
        (lease, "lease_minutes", "Minutes until an idle article goes back to the queue"),
    ):
        least, most = map(int, bounds(QueueSettings)[name])
        column.number_input(label, least, most, getattr(settings, name), key=f"{name}_{form}")
    _tag_fields(settings, form)
    st.toggle("Learn at once: rank again after each verdict", settings.learn_at_once, key=f"learn_at_once_{form}")


def _tag_fields(settings: QueueSettings, form: str) -> None:
    """Which tags an article must bear, or must not, to come by itself; a tag that is no longer used stays named."""
    with read() as session:
        known = list(db.curation.tags.tags_in_use(session))
    for column, name, label in zip(st.columns(2), TAGS, TAGS.values(), strict=True):
        now = getattr(settings, name)
        options = list(dict.fromkeys(["", *known, now]))
        column.selectbox(
            label,
            options,
            index=options.index(now),
            format_func=lambda tag: tag or ANY_TAG,
            key=f"{name}_{form}",
            help="Assigned and requested articles come with any tags.",
        )


def _save(form: str, by: str) -> None:
    chosen: dict[str, Any] = {name: st.session_state[f"{name}_{form}"] for name in asdict(QueueSettings())}
    chosen |= {name: chosen[name] / 100 for name in SHARES}
    try:
        change_settings(by, QueueSettings(**chosen))
    except ValueError as error:
        st.session_state.queue_error = str(error)
