"""Questions about sentences and their buttons; the browser keeps the answers until they are stored, as verdicts too."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.project.home import read
from annotate.review.article_view import ENDPOINT
from annotate.review.judged_sentences import Question, is_answered
from annotate.review.keys import caps_of
from annotate.review.verdicts import sign
from db.values import Value
from pages.parts.frame.templates import render
from pages.parts.shared.scripts import OUTBOX, OWN_KEYS, component

_HERE = Path(__file__).parent

TEXT_HEIGHT = 290
_SCRIPTS = (*OUTBOX, OWN_KEYS, _HERE / "answer_buttons.js")
_mount = component("answer_buttons", '<div class="answers"></div>', _SCRIPTS, [_HERE / "answer_buttons.css"])
LABELS = {Value.ACCEPT: "Accept", Value.REJECT: "Reject", Value.UNSURE: "Unsure"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer: its value, the words and the key of its button, and whether it was said before."""

    value: str
    label: str
    key: str
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A sentence that is asked about. `event`: what to send; without a value yet, or with the one to undo."""

    article_id: int
    title: str
    event: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Address:
    """Where answers go, and the box that the browser keeps them in: "" for verdicts, which any page then sends."""

    endpoint: str
    box: str


def sentence_in_place(key: str, of: Question, place: str = "", *, labels: str = "", height: int = TEXT_HEIGHT) -> None:
    """Shows a sentence with what stands around it, in a box that keeps its height, so that buttons keep their place.

    What stands before it is seen from its end. `place` tells more of where it stands, `labels` what its article is
    about.
    """
    texts = {"title": of.title, "section": of.sentence.section, "before": of.before, "after": of.after}
    with st.container(height=height, key=key):
        st.html(render("sentence_in_place.html.j2", place=place, labels=labels, text=of.sentence.text, **texts))


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

    def on_answer() -> None:
        answer = st.session_state[key].stored
        if answer and answer["visit"] == visit:
            on_stored(str(answer["value"]), bool(answer["undo"]))

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
        on_stored_change=on_answer,
    )


def _signed(asked: Asked | None, expert: str) -> dict[str, Any] | None:
    if asked is None:
        return None
    article = {"id": asked.article_id, "title": asked.title}
    return {"article": article, "token": sign(expert, asked.article_id), "said": asked.event}


VERDICTS = Address(ENDPOINT, "")


class VerdictCard:
    """Asks an expert for verdicts on sentences, one after the other; the screen moves on once each is on disk.

    The page fills `left`; what was answered is in `done`. Both are of this tab, as is the sentence on the screen: they
    lie in st.session_state under `name`.
    """

    def __init__(self, name: str, expert: str, keys: str) -> None:
        self._name, self._expert, self._keys = name, expert, caps_of(expert, keys)
        with read() as session:
            while self.left and is_answered(session, expert, self.left[0]):
                if self.left[0] == st.session_state.get(f"{name}_shown"):
                    self._moved_on("", False)  # it came through after the tab had lost its server, unheard
                else:  # judged on another page: not for this one to take back
                    self.left.pop(0)

    @property
    def left(self) -> list[Question]:
        """What is still to be asked, the next one first."""
        found: list[Question] = st.session_state.setdefault(f"{self._name}_open", [])
        return found

    @property
    def done(self) -> list[Question]:
        """What was answered here, the last one last."""
        found: list[Question] = st.session_state.setdefault(f"{self._name}_done", [])
        return found

    def buttons(self) -> None:
        """The buttons for the sentence at hand, and the one that takes the last answer back."""
        left, done = self.left, self.done
        st.session_state[f"{self._name}_shown"] = left[0] if left else None
        answer_buttons(
            st.session_state.setdefault(f"{self._name}_visit", secrets.token_hex(8)),
            self._expert,
            VERDICTS,
            choices=[Choice(value, label, self._keys[value]) for value, label in LABELS.items()] if left else (),
            now=_asked(left[0]) if left else None,
            undo=_asked(done[-1], Value.WITHDRAWN) if done else None,
            undo_key=self._keys["undo"],
            on_stored=self._moved_on,
        )

    def _moved_on(self, value: str, undone: bool) -> None:
        """Goes on once an answer is stored: to the next sentence, or back to the one whose answer was taken back."""
        if undone:
            self.left.insert(0, self.done.pop())
        else:
            self.done.append(self.left.pop(0))
        st.session_state[f"{self._name}_visit"] = secrets.token_hex(8)


def _asked(question: Question, value: Value | None = None) -> Asked:
    """The verdict that an answer is, like any other; with the value of one that is taken back."""
    article_id, position = question.place
    event: dict[str, object] = {"kind": "verdict", "sentence": position}
    event |= {} if question.shown is None else {"shown": dict(question.shown)}
    return Asked(article_id, question.title, event if value is None else event | {"value": str(value)})
