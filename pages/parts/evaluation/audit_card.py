"""One prediction to audit: the sentence where it stands, three buttons with keys, and the way to the next."""

import secrets
from functools import partial

import streamlit as st

from annotate.evaluation.audit import WITHDRAWN, AuditOutcome, values_so_far
from annotate.evaluation.audit_queue import Prediction, Queue
from annotate.project.home import read
from annotate.review.article_view import AUDIT_ENDPOINT
from annotate.review.keys import AUDIT, caps_of
from pages.parts.evaluation.answer_buttons import Address, Asked, Choice, answer_buttons
from pages.parts.frame.templates import render
from pages.parts.frame.text import shown

TEXT_HEIGHT = 290  # fixed, so that the buttons keep their place
ACTIONS = {AuditOutcome.CORRECT: "accept", AuditOutcome.INCONCLUSIVE: "unsure", AuditOutcome.WRONG: "reject"}
LABELS = {AuditOutcome.CORRECT: "Correct", AuditOutcome.INCONCLUSIVE: "Unsure", AuditOutcome.WRONG: "Wrong"}
AUDITS = Address(AUDIT_ENDPOINT, "audit-")


def audit_card(made: Queue, expert: str) -> None:
    """Shows the error at hand and asks what the expert says; the screen moves on once it is on disk."""
    with read() as session:
        values = values_so_far(session)
    mine = {e.sentence.id: value for e in made.errors if (value := values.get(e.sentence.id, {}).get(expert))}
    number = _at_hand(made, mine)
    error = made.errors[number]
    done, total = len(mine), len(made.errors)
    st.progress(done / total, text=_progress(made, values, done))
    text, keys = st.columns([3, 2], gap="medium")
    with text:
        place = f"Error {number + 1} of {total}, the most alike to the query first"
        st.markdown(f"**{place}** · [Open in review](/review?article={error.sentence.article_id})")
        with st.container(height=TEXT_HEIGHT, key="audit_text"):
            _sentence(error)
    with keys:
        found = made.keys[error.sentence.article_id]
        st.markdown(f"**Key sentences of this article: {len(found)}**")
        with st.container(height=TEXT_HEIGHT, key="audit_keys"):
            for _, sentence in sorted(found.items()):
                st.html(render("audit_key.html.j2", text=sentence))
    _buttons(made, error, mine, expert)
    st.caption(_said(values.get(error.sentence.id, {}), expert))


def _at_hand(made: Queue, mine: dict[int, str]) -> int:
    """The error that the tab is at; to begin with, and where that one is no error any more, the first open one."""
    ids = [error.sentence.id for error in made.errors]
    at = st.session_state.get("audit_at")
    if at not in ids:
        at = next((number for number in ids if number not in mine), ids[0])
        _go_to(at)
    return ids.index(at)


def _go_to(sentence_id: int) -> None:
    st.session_state.audit_at = sentence_id
    st.session_state.audit_visit = secrets.token_hex(8)


def _progress(made: Queue, values: dict[int, dict[str, str]], done: int) -> str:
    anybody = sum(error.sentence.id in values for error in made.errors)
    text = f"{done:,} of {len(made.errors):,} audited by you"
    return f"{text}, {anybody:,} by anybody" if anybody != done else text


def _sentence(error: Prediction) -> None:
    st.html(
        render(
            "sentence_in_place.html.j2",
            title=error.title,
            section=error.sentence.section,
            place=f"rank {error.rank} of its article",
            before=error.before,
            text=error.sentence.text,
            after=error.after,
        )
    )


def _said(values: dict[str, str], expert: str) -> str:
    """What others said is told only to those who have said something themselves."""
    if expert not in values:
        return "Is it a key sentence of this article?"
    return f"You said {values[expert]}." + "".join(
        f" {shown(name)} said {value}." for name, value in values.items() if name != expert
    )


def _buttons(made: Queue, error: Prediction, mine: dict[int, str], expert: str) -> None:
    ids = [found.sentence.id for found in made.errors]
    number = ids.index(error.sentence.id)
    said, back, on = st.columns([11, 2, 2])
    last = _last_said(made, expert)
    keys = caps_of(expert, AUDIT)
    with said:
        answer_buttons(
            st.session_state.audit_visit,
            expert,
            AUDITS,
            choices=[
                Choice(value, LABELS[value], keys[action], mine.get(error.sentence.id) == value)
                for value, action in ACTIONS.items()
            ],
            now=_asked(made, error),
            undo=_asked(made, last[0], last[1]) if last else None,
            undo_key=keys["undo"],
            on_stored=partial(_moved_on, made, error, mine.get(error.sentence.id, WITHDRAWN), expert),
        )
    for column, name, step in ((back, "Previous", -1), (on, "Next", 1)):
        target = ids[(number + step) % len(ids)]
        key = keys[name.lower()]
        column.button(name, key=f"audit_{name}", shortcut=key, on_click=_go_to, args=(target,), width="stretch")


def _asked(made: Queue, error: Prediction, value: str | None = None) -> Asked:
    """The event of an answer as `annotate.evaluation.audit.record` takes it; with the value of one that is undone."""
    said = {
        "article": error.sentence.article_id,
        "sentence": error.sentence.position,
        "version": made.version,
        "ranking": made.ranking,
        "rank": error.rank,
        "cosine": error.cosine,
    }
    return Asked(error.sentence.article_id, error.title, said if value is None else said | {"value": value})


def _last_said(made: Queue, expert: str) -> tuple[Prediction, str] | None:
    """The error of which something was said last in this tab, and what held before; None where there is none."""
    errors = {error.sentence.id: error for error in made.errors}
    done = st.session_state.get(f"audit_done_{expert}", [])
    while done and done[-1][0] not in errors:  # its label has changed, or another version is shown
        done.pop()
    return (errors[done[-1][0]], done[-1][1]) if done else None


def _moved_on(made: Queue, error: Prediction, before: str, expert: str, value: str, undone: bool) -> None:
    """Goes on once an answer is stored: to the next open error, or back to the one whose answer was taken back."""
    done = st.session_state.setdefault(f"audit_done_{expert}", [])
    if undone:
        _go_to(done.pop()[0])
        return
    done.append((error.sentence.id, before))
    with read() as session:
        values = values_so_far(session)
    ids = [found.sentence.id for found in made.errors]
    number = ids.index(error.sentence.id)
    ahead = ids[number + 1 :] + ids[:number]
    _go_to(next((found for found in ahead if expert not in values.get(found, {})), error.sentence.id))
