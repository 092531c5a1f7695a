"""The article reader: shows an article, paints each verdict at once and posts it until the server has stored it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent


def _source(*names: str) -> str:
    return "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)


# Registered at import, not per run: a component's name may be taken once. The scripts form one module.
_mount = st.components.v2.component(
    "article_reader",
    html='<div class="reader"></div>',
    css=_source("reader.css"),
    js=_source("outbox.js", "reader_tools.js", "article_pane.js", "answers.js", "proposals.js", "rail.js", "reader.js"),
)


def article_reader(reading: dict[str, Any], *, key: str, on_open: Callable[[], None] | None = None) -> Any:
    """Mounts the reader and returns its result, whose `open` is the article the expert asks for: an id, "next" or None.

    `reading` must not change a byte between reruns, or the whole article is sent again; put the article's id
    in `key`, so that another article is another mount. `on_open` runs before the script, as every callback,
    and finds the id in `st.session_state[key].open`. Verdicts never come this way: they go to `reading["endpoint"]`.
    """
    return _mount(key=key, data=reading, on_open_change=on_open or (lambda: None))
