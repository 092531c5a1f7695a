"""The switch between light and dark pages, behind the button with the name."""

from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent

# Registered at import, not per run: a component's name may be taken once.
_switch = st.components.v2.component(
    "theme_switch",
    html='<div class="themes" role="group" aria-label="Theme"></div>',
    css=(_HERE / "theme_switch.css").read_text(encoding="utf-8"),
    js=(_HERE / "theme_switch.js").read_text(encoding="utf-8"),
)


def theme_switch() -> None:
    """Draws the switch: this browser keeps what is chosen; pages are as the system is until then."""
    st.caption("Theme")
    _switch(key="theme_switch", height=36)
