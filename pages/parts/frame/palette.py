"""Go to: a few letters lead to any section, or to an article by its title, PMID, PMCID or DOI."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

import db.curation
from annotate.project.home import look_up
from db.curation import Wanted
from pages.parts.frame.entries import FIRST, moved
from pages.parts.frame.shown import Entry

MOST_ARTICLES = 8
KEY = "palette"
_HERE = Path(__file__).parent
# Registered at import, not per run: a component's name may be taken once.
_mount = st.components.v2.component(
    "palette",
    html=(_HERE / "palette.html").read_text(encoding="utf-8"),
    css=(_HERE / "palette.css").read_text(encoding="utf-8"),
    js=(_HERE / "palette.js").read_text(encoding="utf-8"),
)


@st.fragment
def palette(pages: Mapping[str, Entry]) -> None:
    """Draws the button; behind it, and behind Ctrl K, the field that leads to these pages and to articles."""
    asked = st.session_state.get(KEY, {}).get("asked", "")
    found = look_up(db.curation.page_of_articles, Wanted(asked), offset=0, limit=MOST_ARTICLES) if asked else ()
    ways = [(entry.title, entry.place, "/" if name == FIRST else f"/{name}") for name, entry in pages.items()]
    ways += [  # what is no page of its own, by its address
        (name.replace("_", " ").capitalize(), f"{pages[now].place}, {pages[now].title}", f"/{name}")
        for name, (now, _) in moved().items()
        if now in pages
    ]
    articles = [(row.title, str(row.year or ""), f"/review?article={row.id}") for row in found]
    base = st.get_option("server.baseUrlPath").strip("/")
    base = base and f"/{base}"
    data = {"asked": asked, "base": base, "ways": ways, "articles": articles, "finds": "find" in pages}
    _mount(key=KEY, data=data, on_asked_change=lambda: None, width="content", height=40)
