"""Panels: what optional parts tell of an article, over the page where it is read or listed. The address names one."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.project.rights import Right
from pages.parts.frame.messages import draw_again
from pages.parts.frame.page import may, require_annotator
from pages.parts.frame.shown import PANEL, Panel, panels


def open_panel(name: str, **about: int) -> None:
    """Opens a panel about this article, other article or sentence, and nothing else. For callbacks."""
    st.query_params.from_dict({key: str(value) for key, value in about.items()} | {PANEL: name})


def panel_buttons(place: DeltaGenerator, **about: int) -> None:
    """Draws a button for each panel that has an icon."""
    for name, panel in panels().items():
        if panel.icon:
            open_it = partial(open_panel, name, **about)
            place.button(panel.title, key=f"panel_{name}", type="tertiary", icon=panel.icon, on_click=open_it)


def panel_on_show() -> None:
    """Draws the panel that the address names, if any. A page calls it last: a panel may end the script."""
    if panel := panels().get(st.query_params.get(PANEL, "")):
        st.dialog(panel.title, width="large", on_dismiss=_close)(_draw)(panel)


def _draw(panel: Panel) -> None:
    if not may(Right.REVIEW):  # a click runs it without its page, which asks who may be here
        draw_again()
    panel.draw(require_annotator())


def _close() -> None:
    st.query_params.pop(PANEL, None)
