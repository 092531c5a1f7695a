"""The versions of trained things: what they measure, which one is in use and why, and two buttons that change it."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import streamlit as st

import db.rows
from annotate.project.acting import current_actor, own_name
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.registry.kinds import KINDS
from annotate.registry.versions import (
    NotPromotable,
    listed,
    promote,
    roll_back,
    rollback_target,
    serving,
    version_named,
)
from db.tables import ModelVersion, Promotion
from db.values import Kind
from model.files import DamagedModel
from pages.parts.frame.messages import show_message
from pages.parts.frame.page import may
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import local_time, shown
from pages.parts.shared.job_panel import start_job
from pages.parts.shared.tables import text_table

_NONE = "none"
Columns = Callable[[ModelVersion], Mapping[str, Any]]


def versions_panel(kind: Kind, columns: Columns) -> None:
    """Lists the versions of a kind, newest first, with `columns` of measures. Who may promote can choose another."""
    versions = listed(kind)
    others = [one.version.name for one in reversed(versions) if not one.in_use]
    if KINDS[kind].none_may_serve and len(others) < len(versions):
        others.append(_NONE)
    in_use_line(kind, others)
    rows = [
        {
            "version": one.version.name,
            "in use": "yes" if one.in_use else "",
            "trained": local_time(one.version.created_at),
            **columns(one.version),
        }
        for one in reversed(versions)
    ]
    text_table(rows, "Versions")
    if others and may(Right.PROMOTE):
        st.selectbox("Another version", others, key=f"chosen_{kind}")

        def change(by: str, why: str) -> None:
            chosen = st.session_state[f"chosen_{kind}"]
            promote(kind, None if chosen == _NONE else version_named(chosen, kind), by=own_name(by), why=why)

        st.button("Promote", on_click=changed, args=(kind, change), key=f"promote_{kind}")


def in_use_line(kind: Kind, others: Collection[Any]) -> None:
    """Which version is in use, since when, by whom and why; and the button that brings the one before back.

    The field for a reason stands only where there are `others` to choose.
    """
    show_message(f"error_{kind}")
    with read() as session:
        version, earlier = serving(session, kind), rollback_target(session, kind)
        last = db.rows.find(session, Promotion, kind=kind)
    text, action = words_and_action()
    name = f"**{shown(version.name)}**" if version else "No version"
    since = f"Since {local_time(last.created_at)}, by {last.promoted_by}: {last.reason}" if last and last.reason else ""
    text.markdown(f"{name} {KINDS[kind].serves} now. {shown(since)}")
    if may(Right.PROMOTE) and earlier is not None:
        action.button(
            f"Roll back to {shown(earlier.name)}",
            on_click=changed,
            args=(kind, lambda by, why: roll_back(kind, by=by, why=why, to=earlier.id)),
            icon=":material/undo:",
            key=f"back_{kind}",
        )
    if may(Right.PROMOTE) and others:
        st.text_input("Why another one", key=f"why_{kind}", placeholder="kept in the history", max_chars=500)


def changed(kind: Kind, change: Callable[[str, str], object]) -> None:
    """Lets `change`, given who and why, choose another version; the next run tells an error."""
    try:
        change(current_actor().name, st.session_state.get(f"why_{kind}", ""))
    except (NotPromotable, DamagedModel, ValueError) as error:
        st.session_state[f"error_{kind}"] = str(error)
        return
    st.session_state[f"why_{kind}"] = ""
    if KINDS[kind].job:
        start_job(KINDS[kind].job, {})
