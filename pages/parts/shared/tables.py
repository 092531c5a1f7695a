"""A table of texts, shown by more than one page."""

from collections.abc import Mapping, Sequence

import streamlit as st


def table_of_cells(cells: Sequence[Mapping[str, str]]) -> None:
    """A table of texts: its first column, without a heading, stays in sight, numbers stand to the right."""
    st.dataframe(
        cells,
        hide_index=True,
        width="stretch",
        column_config={"": st.column_config.TextColumn(pinned=True)}
        | {name: st.column_config.TextColumn(alignment="right") for name in cells[0] if name},
    )
