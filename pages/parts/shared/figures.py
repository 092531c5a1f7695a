"""A figure on a page, with its words and its numbers for those who do not see it."""

import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from html import unescape
from numbers import Real
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.parts.shared.aloud import KEY
from pages.parts.shared.scripts import SPOKEN_ONLY, component

MOST_POINTS = 40  # of a series: a person who hears more forgets them; of a longer one only what stands out
_TAG = re.compile(r"<[^>]+>")
_NOT_IN_A_CLASS = re.compile(r"[^a-zA-Z0-9_-]")

_SCRIPT = Path(__file__).parent / "figure_words.js"
_mount = component("figure_words", '<div class="words"></div>', [_SCRIPT], [f".words {SPOKEN_ONLY}"])


def show_figure(figure: go.Figure, *, key: str, place: Any = st, **more: Any) -> Any:
    """Draws the figure and, for people who hear the page, its numbers; returns what st.plotly_chart does."""
    state = place.plotly_chart(figure, key=key, config={"displayModeBar": False}, **more)
    words = figure_words(figure) | {"of": _NOT_IN_A_CLASS.sub("-", key.strip())}
    with nullcontext() if place is st else place:
        _mount(key=f"{KEY}_{key}", data=words, height=1)
    return state


def figure_words(figure: go.Figure) -> dict[str, Any]:
    """`label`, the figure in a sentence; `head` and `rows` of a table of its numbers. All of it is text."""
    x, y = (_plain(getattr(figure.layout, axis).title.text or "") for axis in ("xaxis", "yaxis"))
    series = [_plain(one.name or "") for one in figure.data]
    label = "Figure: " + " by ".join(part for part in (y, x) if part)
    named = list(dict.fromkeys(filter(None, series)))
    rows = [[name, *row] for name, one in zip(series, figure.data, strict=True) for row in _rows(figure, one)]
    width = max((len(row) for row in rows), default=3)
    head = ["Series", x or "Across", y or "Up", "Value"][:width]
    return {
        "label": f"{label}{': ' if named else ''}{', '.join(named)}",
        "head": head,
        "rows": [[*row, *[""] * (width - len(row))] for row in rows],
    }


def _rows(figure: go.Figure, series: Any) -> Iterator[list[str]]:
    """The points of a series as text, of many those that stand out; of a map of colours each cell."""
    across, up = _ticks(figure.layout.xaxis), _ticks(figure.layout.yaxis)
    if series.type == "heatmap":
        for row, values in enumerate(series.z):
            yield from (
                [across.get(column, str(column)), up.get(row, str(row)), _number(value)]
                for column, value in enumerate(values)
                if value is not None
            )
        return
    points = [(x, y) for x, y in zip(_values(series.x), _values(series.y), strict=False) if y is not None]
    if len(points) > MOST_POINTS:  # the first, the last, and those with the lowest and the highest number
        numbered = [place for place, (_, y) in enumerate(points) if isinstance(y, Real)]
        ends = [end(numbered, key=lambda place: points[place][1]) for end in (min, max)] if numbered else []
        points = [points[place] for place in sorted({0, len(points) - 1, *ends})]
    for x, y in points:
        yield [across.get(x, _number(x)), up.get(y, _number(y))]


def _values(given: Any) -> Sequence[Any]:
    return [] if given is None else list(given)


def _ticks(axis: Any) -> dict[Any, str]:
    """The words that an axis writes instead of its numbers."""
    return {value: _plain(words) for value, words in zip(_values(axis.tickvals), _values(axis.ticktext), strict=False)}


def _number(value: Any) -> str:
    return f"{value:.4g}".replace("-", "−") if isinstance(value, float) else _plain(value)


def _plain(text: Any) -> str:
    return " ".join(unescape(_TAG.sub(" ", str(text))).split())
