"""Status: how the server does, its backups, its jobs and its model files, for its admins."""

import streamlit as st

from annotate.operations.server_status import server_status
from annotate.project.home import look_up
from annotate.project.menu_settings import MenuSettings
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from pages.parts.frame.page import may, open_page
from pages.parts.frame.shown import shown_parts
from pages.parts.frame.text import shown
from pages.parts.operations.status_numbers import (
    backups_panel,
    jobs_panel,
    model_panel,
    numbers,
    schedule_form,
    seals_panel,
)
from pages.parts.shared.settings_form import setting_switch

header = open_page()
schedule_form(header)
status = server_status()
for warning in status.warnings:
    st.warning(shown(warning), icon=":material/warning:")
if not status.warnings:
    st.success("Everything is in order.", icon=":material/check_circle:")
numbers(status)

left, right = st.columns([1, 1], gap="large")
with left:
    backups_panel(status)
with right:
    jobs_panel(status)
    model_panel()
    seals_panel()
if may(Right.STUDY):
    setting_switch(
        "Lab in the menu",
        look_up(settings_now, MenuSettings),
        "lab",
        help="Experiments, simulations and encoders compared. Without it, Ctrl K leads to them.",
    )
for draw in (draw for part in shown_parts() for draw in part.status):
    draw()
st.caption(" · ".join(f"{name} {shown(version)}" for name, version in status.versions.items()))
