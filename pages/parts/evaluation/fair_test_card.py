"""One sentence of the fair test: where it stands, three buttons with keys, and the way back."""

import secrets

import streamlit as st

from annotate.evaluation.fair_test import Question, answer
from db.values import Value
from pages.parts.frame.templates import render
from pages.parts.frame.text import shown

TEXT_HEIGHT = 290  # fixed, so that the buttons keep their place
# The keys are those of the review page: accept, unsure, reject.
BUTTONS = {
    Value.ACCEPT: ("Key sentence", "A", ":material/check:"),
    Value.UNSURE: ("Unsure", "S", ":material/question_mark:"),
    Value.REJECT: ("Not key", "X", ":material/close:"),
}


def fair_test_card(expert: str) -> None:
    """Shows the sentence at hand and stores what the expert says; the screen moves on once it is on disk.

    What is left and what was done in this tab lie in st.session_state: fair_test_open and fair_test_done.
    """
    left: list[Question] = st.session_state.fair_test_open
    done: list[Question] = st.session_state.fair_test_done
    st.progress(len(done) / max(1, len(done) + len(left)), text=f"{len(done):,} judged, {len(left):,} to go")
    *verdicts, undo = st.columns([3, 3, 3, 2]) if not left else _question(left[0])
    for column, (value, (label, key, icon)) in zip(verdicts, BUTTONS.items(), strict=True):
        if left:
            column.button(
                label,
                key=f"fair_{value}",
                icon=icon,
                shortcut=key,
                on_click=_say,
                args=(expert, left[0], value, st.session_state.setdefault("fair_test_event", secrets.token_hex(16))),
                width="stretch",
            )
    undo.button(
        "Undo", key="fair_undo", shortcut="U", disabled=not done, on_click=_undo, args=(expert,), width="stretch"
    )
    if message := st.session_state.pop("fair_test_error", None):
        st.error(f"Not saved: {shown(message)}.", icon=":material/error:")


def _question(question: Question) -> list[st.delta_generator.DeltaGenerator]:
    """Shows a sentence in its place; returns the columns for what is said of it."""
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
    return st.columns([3, 3, 3, 2])


def _say(expert: str, question: Question, value: Value, event_id: str) -> None:
    if message := answer(expert, question, value, f"{event_id}-{value}"):
        st.session_state.fair_test_error = message
        return
    left: list[Question] = st.session_state.fair_test_open
    if left and left[0] is question:  # a key that is pressed twice before the screen has moved on counts once
        st.session_state.fair_test_done.append(left.pop(0))
        st.session_state.fair_test_event = secrets.token_hex(16)


def _undo(expert: str) -> None:
    """Takes back the last thing said in this tab and asks it again."""
    done: list[Question] = st.session_state.fair_test_done
    if not done:
        return
    if message := answer(expert, done[-1], Value.WITHDRAWN, secrets.token_hex(16)):
        st.session_state.fair_test_error = message
    else:
        st.session_state.fair_test_open.insert(0, done.pop())
