"""Backups on the status page: the last one, a button for another, the archives, and the schedule."""

from dataclasses import asdict

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.rows
from annotate.operations.backup_schedule import KIND, BackupSettings, archives
from annotate.operations.server_status import ServerStatus
from annotate.project.acting import current_actor
from annotate.project.home import read
from annotate.project.stored_settings import change_settings, settings_now
from db.tables import Setting
from model.checked_settings import bounds
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time
from pages.parts.frame.told import told
from pages.parts.operations.status_numbers import size
from pages.parts.shared.job_panel import job_panel, start_job
from pages.parts.shared.tables import show_table

SHOWN = 10
POSTGRESQL = (
    'pg_dump --format=custom --file=keyline.dump "$DATABASE_URL"\npython -m annotate backup models.tar --models-only'
)


def backups_panel(status: ServerStatus) -> None:
    """The last backup and when the next one is due; one click makes another."""
    st.subheader("Backups")
    if status.database.kind != "SQLite":
        st.markdown("PostgreSQL is backed up by its own tool; run both of these from cron:")
        st.code(POSTGRESQL, language="bash")
        return
    job_panel([KIND], ended=False)
    text, button = st.columns([3, 2], vertical_alignment="center")
    text.markdown(_last(status))
    button.button(
        "Back up now", icon=":material/backup:", type="primary", on_click=start_job, args=(KIND, {}), width="stretch"
    )
    rows = [{"archive": path.name, "size": size(path.stat().st_size)} for path in reversed(archives()[-SHOWN:])]
    if rows:
        show_table(rows, width="stretch")
        st.caption(
            f"In the folder backups of the data folder, {size(status.backups.bytes)} in all. Copy them to another "
            "machine: a backup on the same disk does not survive the disk."
        )


def _last(status: ServerStatus) -> str:
    backups = status.backups
    if backups.newest is None or backups.made is None or backups.age_hours is None:
        return "None yet."
    result = backups.made.result
    left_out = result.get("left_out", {})
    parts = [f"**{_age(backups.age_hours)} old**", size(result.get("bytes", 0)), f"{result.get('seconds', 0):,.1f} s"]
    parts.append("read again and sound" if not left_out else f"without {shown(', '.join(left_out))}, which is damaged")
    return " · ".join(parts)


def _age(hours: float) -> str:
    return f"{hours * 60:,.0f} min" if hours < 1 else f"{hours:,.1f} h" if hours < 48 else f"{hours / 24:,.0f} days"


def schedule_form(place: DeltaGenerator) -> None:
    """The schedule behind a button, stored under the name of the person who saves it."""
    with read() as session:
        settings = settings_now(session, BackupSettings)
        stored = db.rows.find(session, Setting, name=BackupSettings.NAME)
    form = (
        f"backup_{stored.id if stored else 0}"  # another choice is a fresh form: none overwrites what it did not show
    )
    with place.popover("Backup schedule", icon=":material/schedule:"), st.form(form, border=False):
        st.toggle("Back up by itself", settings.on, key=f"on_{form}")
        st.number_input(
            "Hours between two", *bounds(BackupSettings)["every_hours"], settings.every_hours, key=f"every_hours_{form}"
        )
        st.number_input("Archives to keep", *bounds(BackupSettings)["keep"], settings.keep, key=f"keep_{form}")
        st.form_submit_button("Save", type="primary", width="stretch", on_click=_save, args=(form,))
        if stored:
            st.caption(f"Set by {shown(stored.changed_by)}, {local_time(stored.created_at)}.")
    if message := told("backup_error"):
        st.error(shown(message), icon=":material/error:")


def _save(form: str) -> None:
    chosen = {name: st.session_state[f"{name}_{form}"] for name in asdict(BackupSettings())}
    try:
        change_settings(current_actor().name, BackupSettings(**chosen))
    except ValueError as error:
        st.session_state.backup_error = str(error)
