"""What several projects on one server add to the app: it ends with its parent, and a page leads to the others."""

from urllib.parse import urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.project.acting import current_actor
from annotate.project.served import project_key, project_name
from annotate.projects.neighbours import neighbours_of
from annotate.projects.running import ending_with_parent
from pages.parts.frame.shown import Shown
from pages.parts.frame.templates import render
from pages.parts.frame.text import shown


def project_switch(header: DeltaGenerator) -> None:
    """Draws the project's name and, where there are others to go on to, the list behind it; nothing without a name."""
    if not (name := project_name()):
        return
    others = neighbours_of(current_actor()) if project_key() else []
    if not others:
        header.caption(shown(name), width="content")
        return
    # By the name of the host by which the browser found this one, unless the other has one of its own.
    host = urlsplit(st.context.url or "").hostname or "127.0.0.1"
    ordered = sorted(others, key=lambda each: each.name.casefold())
    links = [(other.name, other.address or f"http://{host}:{other.port}") for other in ordered]
    # Not a popover: Streamlit draws its content at the end of the page, the farthest place for people who use Tab.
    header.html(render("project_switch.html.j2", here=name, links=links), width="content")


SHOWN = Shown(running=(ending_with_parent,), header=(project_switch,))
