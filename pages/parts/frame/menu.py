"""Declares the pages and runs one."""

import re
from pathlib import Path

import streamlit as st

from pages.parts.frame.entries import FIRST, entries
from pages.parts.frame.page import open_to_me, unknown_page
from pages.parts.frame.shown import Entry

PAGES = Path(__file__).parents[2]
WORD = re.compile(r"[\w-]+")  # what can be an address of a page


def declared(name: str, entry: Entry, *, visible: bool, address: str = "") -> st.Page:
    """A page, left out of the menu where the person may not open it; its address then says so."""
    return st.Page(
        PAGES / f"{name}.py",
        title=entry.title,
        icon=entry.icon,
        default=name == FIRST and not address,
        url_path=address or name,
        visibility="visible" if visible else "hidden",
    )


mine = open_to_me()
menu: dict[str, list[st.Page]] = {}
for name, entry in entries().items():
    menu.setdefault(entry.heading, []).append(declared(name, entry, visible=name in mine))
if WORD.fullmatch(asked := unknown_page()):  # or Streamlit would lay a word of its own over Start, which names no page
    menu[""].append(declared(FIRST, entries()[FIRST], visible=False, address=asked))
st.navigation(menu, position="top").run()  # on top, since the review page needs the width
