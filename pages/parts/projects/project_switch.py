"""Which of the server's projects this is, and the way to the others, for a person who was let in."""

from urllib.parse import urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.project.acting import current_actor
from annotate.project.served import project_key, project_name
from annotate.projects.neighbours import Neighbour, neighbours_of
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
    links = [(other.name, _address(other)) for other in sorted(others, key=lambda each: each.name.casefold())]
    # Not a popover: Streamlit draws its content at the end of the page, the farthest place for people who use Tab.
    header.html(render("project_switch.html.j2", here=name, links=links), width="content")


def _address(other: Neighbour) -> str:
    """Where the browser finds it: by the name of the host by which it found this one, unless it has one of its own."""
    host = urlsplit(st.context.url or "").hostname or "127.0.0.1"
    return other.address or f"http://{host}:{other.port}"
