"""Declares the pages and runs one."""

from pathlib import Path
from urllib.parse import quote

import streamlit as st

from pages.parts.frame.entries import FIRST, entries
from pages.parts.frame.page import open_to_me, unknown_page
from pages.parts.frame.shown import Entry
from pages.parts.frame.streamlit_internals import at_any_address

PAGES = Path(__file__).parents[2]


def declared(name: str, entry: Entry, *, visible: bool, at_first: bool) -> st.Page:
    """A page, left out of the menu where the person may not open it; its address then says so."""
    return st.Page(
        PAGES / f"{name}.py",
        title=entry.title,
        icon=entry.icon,
        default=at_first,
        url_path=name,
        visibility="visible" if visible else "hidden",
    )


mine = open_to_me()
menu: dict[str, list[st.Page]] = {}
for name, entry in entries().items():
    menu.setdefault(entry.heading, []).append(declared(name, entry, visible=name in mine, at_first=name == FIRST))
# Or Streamlit would lay a word of its own over Start, which names no page. It still does where an address holds
# other signs than letters, digits and a few marks.
if (asked := unknown_page()) and quote(asked) == asked:
    start = declared(FIRST, entries()[FIRST], visible=False, at_first=False)
    menu[""].append(at_any_address(start, asked))
st.navigation(menu, position="top").run()  # on top, since the review page needs the width
