"""The buttons that answer a question about a sentence: the browser keeps each answer until the server has stored it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.review.verdicts import sign
from pages.parts.shared.scripts import OUTBOX, OWN_KEYS, joined

_HERE = Path(__file__).parent

# Registered at import, not per run: a component's name may be taken once.
_mount = st.components.v2.component(
    "answer_buttons",
    html='<div class="answers"></div>',
    css=(_HERE / "answer_buttons.css").read_text(encoding="utf-8"),
    js=joined([*OUTBOX, OWN_KEYS, _HERE / "answer_buttons.js"]),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer: its value, the words and the key of its button, and whether it was said before."""

    value: str
    label: str
    key: str
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A sentence that is asked about. `said`: the event to send; without a value yet, or with the one to undo."""

    article_id: int
    title: str
    said: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Address:
    """Where answers go, and the box that the browser keeps them in: "" for verdicts, which any page then sends."""

    endpoint: str
    box: str


def answer_buttons(
    visit: str,
    expert: str,
    address: Address,
    *,
    choices: Sequence[Choice],
    now: Asked | None,
    undo: Asked | None,
    undo_key: str,
    on_stored: Callable[[str, bool], None],
) -> None:
    """Shows the buttons for the question `now`, and one that takes back the answer to `undo`.

    `visit` is new for each question, also for one that is asked again. `on_stored` (value, whether it was the undoing)
    runs before the script, once the server has stored the answer; where an answer of an earlier visit came through the
    page only runs again.
    """
    key = f"answers_{visit}"

    def heard() -> None:
        told = st.session_state[key].stored
        if told and told["visit"] == visit:
            on_stored(str(told["value"]), bool(told["undo"]))

    _mount(
        key=key,
        data={
            "visit": visit,
            "reviewer": expert,
            "endpoint": address.endpoint,
            "box": address.box,
            "choices": [{"value": str(c.value), "label": c.label, "key": c.key, "chosen": c.chosen} for c in choices],
            "now": _signed(now, expert),
            "undo": _signed(undo, expert),
            "undo_key": undo_key,
        },
        on_stored_change=heard,
    )


def _signed(asked: Asked | None, expert: str) -> dict[str, Any] | None:
    if asked is None:
        return None
    article = {"id": asked.article_id, "title": asked.title}
    return {"article": article, "token": sign(expert, asked.article_id), "said": asked.said}
