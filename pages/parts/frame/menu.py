"""Declares the pages and runs one."""

from pathlib import Path
from urllib.parse import quote

import streamlit as st

from pages.parts.frame.entries import FIRST, PLACES, entries, moved
from pages.parts.frame.page import my_places, my_work, unknown_page, work_on
from pages.parts.frame.streamlit_internals import at_any_address, is_asked_for

PAGES = Path(__file__).parents[2]


def declared(name: str, title: str, *, icon: str = "", at_first: bool = False) -> st.Page:
    """A page, in the menu where it has an icon."""
    return st.Page(
        PAGES / f"{name}.py",
        title=title,
        icon=icon or None,
        default=at_first,
        url_path=name,
        visibility="visible" if icon else "hidden",
    )


pages = {name: declared(name, entry.title, at_first=name == FIRST) for name, entry in entries().items()}
# A place stands in the menu as the section that is on show, else as its first: so it is seen where one is.
work = my_work()
for title, names in my_places().items():
    shown = next((name for name in names if is_asked_for(pages[name])), names[0])
    label = f"{title} :blue-badge[{number}]" if (number := work_on(names, work)) else title
    pages[shown] = declared(shown, label, icon=PLACES[title].icon, at_first=shown == FIRST)
# Or Streamlit would lay a word of its own over Start, which names no page. It still does where an address holds
# other signs than letters, digits and a few marks.
if (asked := unknown_page()) and quote(asked) == asked:
    pages[asked] = at_any_address(declared(FIRST, entries()[FIRST].title), asked)
page = st.navigation(list(pages.values()), position="top")  # on top, since the review page needs the width
name, more = moved().get(page.url_path, ("", {}))
if name in pages:  # a part that is off has none
    st.switch_page(pages[name], query_params={**st.query_params, **more})
page.run()
