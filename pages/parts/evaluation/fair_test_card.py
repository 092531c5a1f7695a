"""One sentence of the fair test: where it stands, three buttons with keys, and the way back."""

import secrets

import streamlit as st

from annotate.evaluation.fair_test import Question, is_answered
from annotate.project.home import read
from annotate.review.article_view import ENDPOINT
from annotate.review.keys import AUDIT, caps_of
from db.values import Value
from pages.parts.evaluation.answer_buttons import Address, Asked, Choice, answer_buttons
from pages.parts.frame.templates import render

TEXT_HEIGHT = 290  # fixed, so that the buttons keep their place
LABELS = {Value.ACCEPT: "Key sentence", Value.UNSURE: "Unsure", Value.REJECT: "Not key"}
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
        _question(left[0])
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


def _question(question: Question) -> None:
    """Shows a sentence in its place."""
    with st.container(height=TEXT_HEIGHT, key="fair_test_text"):
        st.html(
            render(
                "sentence_in_place.html.j2",
                title=question.title,
                section=question.sentence.section,
                place="",
                before=question.before,
                text=question.sentence.text,
                after=question.after,
            )
        )
    st.markdown(f"Is it a key sentence? · [Open in review](/review?article={question.sentence.article_id})")


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
