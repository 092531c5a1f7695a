"""One prediction to audit: the sentence where it stands, three buttons with keys, and the way to the next."""

import secrets

import streamlit as st

from annotate.evaluation.audit import WITHDRAWN, AuditOutcome, record, values_so_far
from annotate.evaluation.audit_queue import Prediction, Queue
from annotate.project.home import read
from pages.parts.frame.templates import render
from pages.parts.frame.text import shown

TEXT_HEIGHT = 290  # fixed, so that the buttons keep their place
# The keys are those of the review page: accept, unsure, reject.
BUTTONS = {
    AuditOutcome.CORRECT: ("A", ":material/check:"),
    AuditOutcome.INCONCLUSIVE: ("S", ":material/question_mark:"),
    AuditOutcome.WRONG: ("X", ":material/close:"),
}


def audit_card(made: Queue, expert: str) -> None:
    """Shows the error at hand and records what the expert says; the screen moves on once it is on disk."""
    with read() as session:
        values = values_so_far(session)
    mine = {e.sentence.id: value for e in made.errors if (value := values.get(e.sentence.id, {}).get(expert))}
    number = _at_hand(made, mine)
    error = made.errors[number]
    done, total = len(mine), len(made.errors)
    st.progress(done / total, text=_progress(made, values, done))
    text, keys = st.columns([3, 2], gap="medium")
    with text:
        place = f"Error {number + 1} of {total}, the highest cosine first"
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
    if message := st.session_state.pop("audit_error", None):
        st.error(shown(message), icon=":material/error:")


def _at_hand(made: Queue, mine: dict[int, str]) -> int:
    """The error that the tab is at; to begin with, and where that one is no error any more, the first open one."""
    ids = [error.sentence.id for error in made.errors]
    at = st.session_state.get("audit_at")
    if at not in ids:
        at = next((number for number in ids if number not in mine), ids[0])
        _go_to(at)
    return ids.index(at)


def _go_to(sentence_id: int) -> None:
    # One id a visit: a key that is pressed twice before the screen has moved on is stored once.
    st.session_state.audit_at = sentence_id
    st.session_state.audit_event = secrets.token_hex(16)


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
            place=f"rank {error.rank} · cosine {error.cosine:.3f}",
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
    *verdicts, undo, back, on = st.columns([3, 3, 3, 2, 2, 2])
    for column, (outcome, (key, icon)) in zip(verdicts, BUTTONS.items(), strict=True):
        column.button(
            outcome.capitalize(),
            key=f"{outcome}_{error.sentence.id}",
            icon=icon,
            shortcut=key,
            type="primary" if mine.get(error.sentence.id) == outcome else "secondary",
            on_click=_say,
            args=(made, error, outcome, mine.get(error.sentence.id, WITHDRAWN), expert, st.session_state.audit_event),
            width="stretch",
        )
    last = st.session_state.get(f"audit_done_{expert}")
    undo.button(
        "Undo", key="audit_undo", shortcut="U", disabled=not last, on_click=_undo, args=(made, expert), width="stretch"
    )
    for column, name, key, step in ((back, "Previous", "P", -1), (on, "Next", "N", 1)):
        target = ids[(number + step) % len(ids)]
        column.button(name, key=f"audit_{name}", shortcut=key, on_click=_go_to, args=(target,), width="stretch")


def _say(made: Queue, error: Prediction, value: str, before: str, expert: str, event_id: str) -> None:
    if not _store(made, error, value, expert, f"{event_id}-{value}"):
        return
    done = st.session_state.setdefault(f"audit_done_{expert}", [])
    if not done or done[-1][0] != event_id:
        done.append((event_id, error.sentence.id, before))
    with read() as session:
        values = values_so_far(session)
    ids = [found.sentence.id for found in made.errors]
    number = ids.index(error.sentence.id)
    ahead = ids[number + 1 :] + ids[:number]
    _go_to(next((found for found in ahead if expert not in values.get(found, {})), error.sentence.id))


def _undo(made: Queue, expert: str) -> None:
    """Takes back the last thing said in this tab and goes there."""
    errors = {error.sentence.id: error for error in made.errors}
    while done := st.session_state[f"audit_done_{expert}"]:
        _, last, before = done.pop()
        if last in errors:  # else its label has changed, or another version is shown
            if _store(made, errors[last], before, expert, secrets.token_hex(16)):
                _go_to(last)
            return


def _store(made: Queue, error: Prediction, value: str, expert: str, event_id: str) -> bool:
    """Records one event; says whether it is on disk. What was refused the page shows."""
    event = {
        "id": event_id,
        "article": error.sentence.article_id,
        "sentence": error.sentence.position,
        "value": str(value),
        "version": made.version,
        "ranking": made.ranking,
        "rank": error.rank,
        "cosine": error.cosine,
    }
    stored, refused = record(expert, [event])
    if refused:
        st.session_state.audit_error = f"Not saved: {refused[0]['reason']}."
    return bool(stored)
