"""Tables, shown by more than one page: with heads as docs/wording.md has them."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, NamedTuple

import streamlit as st

from pages.parts.frame.templates import render

ABOUT = "about_sentence"
ROW_HEIGHT = 66  # in pixels; from 65 on Streamlit wraps texts, into three lines at most
HEAD_HEIGHT = 37  # with the border
WIDE = 150  # columns of so many pixels hold texts; narrower ones hold names, times and numbers
NUMBER = re.compile(r"[+−-]?[\d,.]+( ?(%|[kMGT]?B|ms|s|min|h))?|–")
_VERSION = re.compile(r"\S*(\S[A-Z]|[a-z-]\d)")  # the first word has a capital within, or a number
REVIEW = st.column_config.LinkColumn("Open", display_text="Review", width=70)


class Link(NamedTuple):
    """A cell of a table of texts that leads to an address of another site."""

    words: str
    address: str


def head_of(name: str) -> str:
    """A column's head by its name: a capital first, but for a symbol such as n or a version such as v1 or nBERT-v2."""
    if _VERSION.match(name):
        return name
    return name[0].upper() + name[1:] if len(name.split(" ", maxsplit=1)[0]) > 1 and name[0].isascii() else name


def show_table(
    rows: Any,
    *,
    place: Any = st,
    heads: Mapping[str, str] | None = None,
    widths: Mapping[str, int | str] | None = None,
    column_config: Mapping[str, Any] | None = None,
    **more: Any,
) -> Any:
    """Draws rows, dictionaries or a data frame, as st.dataframe does, over all the width there is; texts wrap, and
    end with … where a row cannot hold them.

    Columns have these `heads`, by default their names, and `widths`, by default what they need; `column_config` tells
    the rest. "review" holds ways to articles. A missing value is an empty cell; of dictionaries, a column without any
    value is not shown.
    """
    columns = rows.columns if hasattr(rows, "columns") else list(dict.fromkeys(name for row in rows for name in row))
    config: dict[str, Any] = {"review": REVIEW, **(column_config or {})}
    heads, widths = heads or {}, widths or {}
    for name in columns:
        own = config.get(name, {})
        if isinstance(own, dict):  # else a head of its own, or None, which hides the column
            width = {"width": widths[name]} if name in widths else {}
            config[name] = {**own, **width, "label": own.get("label") or heads.get(name) or head_of(str(name))}
    usual: dict[str, Any] = {"hide_index": True, "width": "stretch", "row_height": ROW_HEIGHT}
    more = usual | more
    if isinstance(rows, list):
        order = more.get("column_order", columns)
        more["column_order"] = [name for name in order if any(row.get(name) not in ("", None) for row in rows)] or order
        wide = {name: width for name, width in widths.items() if isinstance(width, int) and width >= WIDE}
        rows = [row | {name: _fitting(row[name], wide[name]) for name in wide.keys() & row.keys()} for row in rows]
    return place.dataframe(rows, column_config=config, placeholder="", **more)


def _fitting(text: Any, width: int) -> Any:
    """As much of a text as three lines of a cell of this width hold: a character takes some 6.4 pixels, and a line
    loses some 5 characters where it breaks."""
    most = int(3 * ((width - 16) / 6.4 - 5))
    return f"{text[:most].rsplit(maxsplit=1)[0]} …" if isinstance(text, str) and len(text) > most else text


def text_table(
    rows: Sequence[Mapping[str, Any]],
    label: str,
    *,
    place: Any = st,
    heads: Mapping[str, str] | None = None,
    helps: Mapping[str, str] | None = None,
    old: Sequence[bool] = (),
) -> None:
    """Draws rows as a table of HTML that wraps its words, keeps its head in sight, and can be selected and read aloud.

    For some hundreds of rows at most, none of which can be chosen; else `show_table`. `label` names it for people who
    hear it. A cell may be a Link.
    Columns have these `heads`, by default their names, and `helps` under the mouse; numbers and what has a unit stand
    to the right. "review" holds ways to articles. A missing value is an empty cell; a column without any value is not
    shown. `old` says which rows are grey.
    """
    heads = {"review": "Open", **(heads or {})}
    columns = {name: heads[name] if name in heads else head_of(name) for name in dict.fromkeys(chain(*rows))}
    cells = [{name: _cell(row.get(name)) for name in columns} for row in rows]
    filled = {name: [row[name] for row in cells if row[name]] for name in columns}
    columns = {name: head for name, head in columns.items() if filled[name]} or columns
    numbers = {
        name
        for name in columns
        if filled[name] and all(isinstance(cell, str) and NUMBER.fullmatch(cell) for cell in filled[name])
    }
    body = [*zip_longest(cells, old, fillvalue=False)]
    values = {"label": label, "columns": columns, "rows": body, "numbers": numbers, "helps": helps or {}}
    place.html(render("text_table.html.j2", **values))


def _cell(value: Any) -> str | Link:
    if value is None:
        return ""
    return value if isinstance(value, str | Link) else f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def metrics_row(values: Mapping[str, str], columns: int = 0) -> None:
    """Figures side by side, each below what it is of; `columns` where there is room for more of them."""
    for column, (label, value) in zip(st.columns(columns or len(values)), values.items(), strict=False):
        column.metric(label, value)


def ask_about(table: str, sentence_ids: Sequence[int | None]) -> None:
    """Keeps which sentence the chosen row of a table is of, until the page has opened the dialog about it."""
    if places := st.session_state[table].selection.rows:
        st.session_state[ABOUT] = sentence_ids[places[0]]
