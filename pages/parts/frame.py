"""Declares the pages and runs one."""

from pathlib import Path

import streamlit as st

from pages.parts.page import open_to_me

PAGES = Path(__file__).parent.parent
# What experts do all day lies open; what curators and maintainers do now and then, one click below a heading.
ENTRIES = {
    "": {
        "articles": ("Articles", ":material/library_books:"),
        "review": ("Review", ":material/rate_review:"),
        "queue": ("Queue", ":material/low_priority:"),
        "progress": ("Progress", ":material/trending_up:"),
    },
    "Data": {
        "import_articles": ("Import", ":material/upload_file:"),
        "gold": ("Gold", ":material/verified:"),
    },
    "Model": {
        "retrain": ("Retrain", ":material/model_training:"),
        "evaluate": ("Evaluate", ":material/monitoring:"),
        "report": ("Report", ":material/lab_profile:"),
        "audit": ("Audit", ":material/fact_check:"),
    },
    "Studies": {
        "experiments": ("Experiments", ":material/science:"),
        "simulate": ("Simulate", ":material/play_circle:"),
    },
    "Team": {
        "agreement": ("Agreement", ":material/handshake:"),
        "adjudicate": ("Adjudicate", ":material/gavel:"),
        "history": ("History", ":material/history:"),
        "people": ("People", ":material/group:"),
        "status": ("Status", ":material/monitor_heart:"),
    },
}


def declared(name: str, title: str, icon: str, *, visible: bool) -> st.Page:
    """A page, left out of the menu where whoever is here may not open it; its address then says so."""
    return st.Page(
        PAGES / f"{name}.py",
        title=title,
        icon=icon,
        default=name == "articles",
        url_path=name,
        visibility="visible" if visible else "hidden",
    )


mine = open_to_me()
st.navigation(
    {
        heading: [declared(name, title, icon, visible=name in mine) for name, (title, icon) in entries.items()]
        for heading, entries in ENTRIES.items()
    },
    position="top",  # the review page needs the width
).run()
