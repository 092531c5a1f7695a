"""A row of a page that has something to do at its end."""

from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def words_and_action(align: Literal["top", "center", "bottom"] = "center") -> tuple[DeltaGenerator, DeltaGenerator]:
    """The places of a row: words or a field, as wide as there is room, and at the right end what to do about them."""
    row = st.container(horizontal=True, vertical_alignment=align)
    return row.container(), row.container(horizontal=True, width="content")
