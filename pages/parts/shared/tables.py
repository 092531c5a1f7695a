"""Tables, shown by more than one page: with heads as docs/wording.md has them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st


def head_of(name: str) -> str:
    """The head of a column by its name in the rows. The first word gets a capital, but not a symbol such as n or a
    version such as v1."""
    if re.match(r"v\d", name):
        return name
    return name[0].upper() + name[1:] if len(name.split(" ", maxsplit=1)[0]) > 1 and name[0].isascii() else name


def show_table(
    rows: Any, *, place: Any = st, column_config: Mapping[str, Any] | None = None, hide_index: bool = True, **more: Any
) -> Any:
    """Draws rows, dictionaries or a data frame, as st.dataframe does; a column without a head gets one by its name.

    A missing value is an empty cell.
    """
    columns = rows.columns if hasattr(rows, "columns") else list(dict.fromkeys(name for row in rows for name in row))
    given = dict(column_config or {})
    heads = {name: _headed(given.get(name, {}), head_of(str(name))) for name in columns}
    return place.dataframe(rows, hide_index=hide_index, column_config=given | heads, placeholder="", **more)


def _headed(config: Any, head: str) -> Any:
    """The column's configuration, with this head where it has none of its own."""
    return {**config, "label": config.get("label") or head} if isinstance(config, dict) else config


def table_of_cells(cells: Sequence[Mapping[str, str]]) -> None:
    """A table of texts: its first column, without a heading, stays in sight, numbers stand to the right."""
    show_table(
        cells,
        width="stretch",
        column_config={"": st.column_config.TextColumn(pinned=True)}
        | {name: st.column_config.TextColumn(alignment="right") for name in cells[0] if name},
    )
