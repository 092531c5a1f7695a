"""Questions about sentences and their buttons, whose answers the browser keeps until they are stored; the fair test."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.evaluation.audit_queue import Prediction
from annotate.evaluation.fair_test import Question, is_answered
from annotate.project.home import read
from annotate.review.article_view import ENDPOINT
from annotate.review.keys import AUDIT, caps_of
from annotate.review.verdicts import sign
from db.values import Value
from pages.parts.frame.templates import render
from pages.parts.shared.scripts import OUTBOX, OWN_KEYS, component

_HERE = Path(__file__).parent

TEXT_HEIGHT = 290
_SCRIPTS = (*OUTBOX, OWN_KEYS, _HERE / "answer_buttons.js")
_mount = component("answer_buttons", '<div class="answers"></div>', _SCRIPTS, [_HERE / "answer_buttons.css"])
LABELS = {Value.ACCEPT: "Key sentence", Value.UNSURE: "Unsure", Value.REJECT: "Not key"}


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


def sentence_in_place(key: str, of: Prediction | Question, place: str = "") -> None:
    """Shows a sentence with what stands around it, in a box that keeps its height, so that buttons keep their place."""
    texts = {"title": of.title, "section": of.sentence.section, "before": of.before, "after": of.after}
    with st.container(height=TEXT_HEIGHT, key=key):
        st.html(render("sentence_in_place.html.j2", place=place, text=of.sentence.text, **texts))


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


VERDICTS = Address(ENDPOINT, "")


def fair_test_card(expert: str) -> None:
    """Shows the sentence at hand and asks what the expert says; the screen moves on once it is on disk.

    What is left and what was done in this tab lie in st.session_state: fair_test_open and fair_test_done, and the
    question on the screen in fair_test_shown.
    """
    left: list[Question] = st.session_state.fair_test_open
    done: list[Question] = st.session_state.fair_test_done
    shown = st.session_state.get("fair_test_shown")
    with read() as session:
        while left and is_answered(session, expert, left[0]):
            if left[0] == shown:  # it came through after the tab had lost its server, and was not heard of here
                _moved_on("", False)
            else:  # judged on another page: not for this one to take back
                left.pop(0)
    st.session_state.fair_test_shown = left[0] if left else None
    st.progress(len(done) / max(1, len(done) + len(left)), text=f"{len(done):,} judged, {len(left):,} to go")
    if left:
        sentence_in_place("fair_test_text", left[0])
        st.markdown(f"Is it a key sentence? · [Open in review](/review?article={left[0].sentence.article_id})")
    keys = caps_of(expert, AUDIT)
    answer_buttons(
        st.session_state.setdefault("fair_test_visit", secrets.token_hex(8)),
        expert,
        VERDICTS,
        choices=[Choice(value, label, keys[value]) for value, label in LABELS.items()] if left else (),
        now=_asked(left[0]) if left else None,
        undo=_asked(done[-1], Value.WITHDRAWN) if done else None,
        undo_key=keys["undo"],
        on_stored=_moved_on,
    )


def _asked(question: Question, value: Value | None = None) -> Asked:
    """The verdict that an answer is, like any other; with the value of one that is taken back."""
    said: dict[str, object] = {"kind": "verdict", "sentence": question.sentence.position}
    return Asked(question.sentence.article_id, question.title, said if value is None else said | {"value": str(value)})


def _moved_on(value: str, undone: bool) -> None:
    """Goes on once an answer is stored: to the next question, or back to the one whose answer was taken back."""
    left: list[Question] = st.session_state.fair_test_open
    done: list[Question] = st.session_state.fair_test_done
    if undone:
        left.insert(0, done.pop())
    else:
        done.append(left.pop(0))
    st.session_state.fair_test_visit = secrets.token_hex(8)
