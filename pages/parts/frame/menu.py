"""Declares the pages and runs one."""

from pathlib import Path

import streamlit as st

from pages.parts.frame.entries import FIRST, entries
from pages.parts.frame.page import open_to_me
from pages.parts.frame.shown import Entry

PAGES = Path(__file__).parents[2]


def declared(name: str, entry: Entry, *, visible: bool) -> st.Page:
    """A page, left out of the menu where the person may not open it; its address then says so."""
    return st.Page(
        PAGES / f"{name}.py",
        title=entry.title,
        icon=entry.icon,
        default=name == FIRST,
        url_path=name,
        visibility="visible" if visible else "hidden",
    )


mine = open_to_me()
menu: dict[str, list[st.Page]] = {}
for name, entry in entries().items():
    menu.setdefault(entry.heading, []).append(declared(name, entry, visible=name in mine))
st.navigation(menu, position="top").run()  # on top, since the review page needs the width
