"""One disputed sentence: where it stands, the verdicts on it, three buttons with keys, and the way to the next."""

import secrets
from collections.abc import Sequence

import streamlit as st

from annotate.review.events import MAX_COMMENT, Refused
from annotate.review.keys import ADJUDICATE, caps_of
from annotate.team.adjudication import Case, ChangedSinceOpened, adjudicate
from db.engine import DATABASE_ERRORS
from db.values import Value
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import shown
from pages.parts.shared.aloud import read_aloud
from pages.parts.team.adjudicate_text import VERDICTS, decided, history, in_words, opinions, sentence_in_context

BUSY = "Not saved: the database is busy. Nothing was lost; decide again."
HEIGHT = 300  # fixed, so that the buttons keep their place
BUTTONS = {
    Value.ACCEPT: ("Key", ":material/check:"),
    Value.REJECT: ("Not key", ":material/close:"),
    Value.UNSURE: ("Unsure", ":material/question_mark:"),
}


def go_to_article(article_id: int, done: str = "") -> None:
    """Opens another article; `done` is what led there, for those who hear it."""
    st.query_params["article"] = str(article_id)
    _go_to(0, done)


def _go_to(sentence_id: int, done: str = "") -> None:
    # One id a visit: a button that is clicked twice before the screen has moved on is stored once.
    st.session_state.adjudicate_at = sentence_id
    st.session_state.adjudicate_event = secrets.token_hex(16)
    st.session_state.adjudicate_message = done


def adjudicate_card(cases: Sequence[Case], curator: str, *, ahead: Sequence[int], names: bool) -> None:
    """Shows the sentence at hand and stores the decision; the screen moves on once it is on disk.

    `ahead` are the articles that come next.
    """
    refusal([found.sentence_id for found in cases])
    number = _at_hand(cases)
    case = cases[number]
    done = sum(not found.is_open for found in cases)
    place = f"Sentence {number + 1} of {len(cases)}"
    st.progress(done / len(cases), text=f"{place} in this article, {done} decided")
    read_aloud(
        f"{st.session_state.adjudicate_message}{place}, {done} decided. {in_words(case, names=names)}",
        key="adjudicate",
        first=True,
        replaced=[f"adjudicate_{value}_" for value in BUTTONS],
    )
    text, verdicts = st.columns([3, 2], gap="medium")
    with text, st.container(height=HEIGHT, key="adjudicate_sentence"):
        sentence_in_context(case)
    with verdicts, st.container(height=HEIGHT, key="adjudicate_said"):
        opinions(case, names=names)
    st.text_input(
        "Comment",
        key=f"adjudicate_comment_{st.session_state.adjudicate_event}",
        max_chars=MAX_COMMENT,
        placeholder="Reason (optional)",
        label_visibility="collapsed",
    )
    _buttons(cases, number, curator, ahead)
    words, past = words_and_action()
    words.caption(shown(decided(case)))
    with past.popover("History"):
        history(case, names=names)


def refusal(on_screen: Sequence[int]) -> None:
    """Says once why the last decision was not stored, and whether its sentence is among those that are shown."""
    message, sentence_id = st.session_state.pop("adjudicate_error", (None, None))
    if message is None:
        return
    if sentence_id not in on_screen:
        message += " That sentence is no longer disputed." + (
            " Another sentence is on the screen." if on_screen else ""
        )
    st.error(shown(message), icon=":material/error:")


def _at_hand(cases: Sequence[Case]) -> int:
    """The sentence that the tab is at; else the first that is not decided."""
    ids = [case.sentence_id for case in cases]
    at = st.session_state.get("adjudicate_at")
    if at not in ids:
        at = next((case.sentence_id for case in cases if case.is_open), ids[0])
        _go_to(at, st.session_state.get("adjudicate_message", ""))
    return ids.index(at)


def _buttons(cases: Sequence[Case], number: int, curator: str, ahead: Sequence[int]) -> None:
    case = cases[number]
    event_id = st.session_state.adjudicate_event
    *verdicts, withdraw, undo, back, on = st.columns([2.6, 2.9, 2.9, 2.3, 2.1, 2.6, 2.1], gap="xsmall")
    stands = case.decision.value if case.decision else None
    keys = caps_of(curator, ADJUDICATE)
    for column, (value, (name, icon)) in zip(verdicts, BUTTONS.items(), strict=True):
        column.button(
            name,
            key=f"adjudicate_{value}_{case.sentence_id}",
            icon=icon,
            shortcut=keys[value],
            type="primary" if stands == value else "secondary",
            on_click=_decide,
            args=(cases, number, value, curator, event_id, ahead),
        )
    withdraw.button(
        "Withdraw",
        key="adjudicate_withdraw",
        disabled=case.decision is None,
        help="Withdraw the decision. The annotators' verdicts count again.",
        on_click=_decide,
        args=(cases, number, Value.WITHDRAWN, curator, event_id, ahead),
    )
    last = st.session_state.get(f"adjudicate_done_{curator}")
    undo.button(
        "Undo",
        key="adjudicate_undo",
        shortcut=keys["undo"],
        disabled=not last,
        help="Undo your last action in this tab.",
        on_click=_undo,
        args=(curator,),
    )
    for column, name, step in ((back, "Previous", -1), (on, "Next", 1)):
        target = cases[(number + step) % len(cases)].sentence_id
        key = keys[name.lower()]
        column.button(name, key=f"adjudicate_{name}", shortcut=key, on_click=_go_to, args=(target,))


def _decide(cases: Sequence[Case], number: int, value: str, curator: str, event_id: str, ahead: Sequence[int]) -> None:
    case = cases[number]
    comment = st.session_state.get(f"adjudicate_comment_{event_id}", "") if value != Value.WITHDRAWN else ""
    stored = _store(case, value, curator, case.seen, f"{event_id}-{value}", comment)
    if stored is None:
        return
    # No name stands for what another person decided: undone, that sentence is undecided.
    before = case.decision.value if case.decision and case.decision.name == curator else str(Value.WITHDRAWN)
    done = st.session_state.setdefault(f"adjudicate_done_{curator}", [])
    if not done or done[-1][1] != stored:
        done.append((case, stored, before))
    message = f"Saved: {VERDICTS[value]}. "
    following = [*cases[number + 1 :], *cases[:number]]
    target = next((found.sentence_id for found in following if found.is_open), None)
    if value == Value.WITHDRAWN or (target is None and not ahead):
        _go_to(case.sentence_id, message)
    elif target is None:
        go_to_article(ahead[0], message)
    else:
        st.query_params["article"] = str(case.article_id)
        _go_to(target, message)


def _undo(curator: str) -> None:
    """Restores the decision before the last one of this tab, and goes there."""
    done = st.session_state[f"adjudicate_done_{curator}"]
    case, last, before = done.pop()
    stored = _store(case, before, curator, last, secrets.token_hex(16), "")
    if stored is None and st.session_state.adjudicate_error[0] == BUSY:
        done.append((case, last, before))
        return
    # What was decided earlier about the same sentence can be undone after this.
    done[:] = [(c, stored if stored and c.sentence_id == case.sentence_id else seen, was) for c, seen, was in done]
    st.query_params["article"] = str(case.article_id)
    _go_to(case.sentence_id, "Undone. ")


def _store(case: Case, value: str, curator: str, seen: int, event_id: str, comment: str) -> int | None:
    """Stores one decision and returns its id; None where it was not, which the page shows."""
    try:
        where = (curator, case.article_id, case.sentence_id)
        return adjudicate(*where, str(value), seen=seen, event_id=event_id, comment=comment)
    except (ChangedSinceOpened, Refused) as error:
        message = f"Not saved: {error}."
    except DATABASE_ERRORS:
        message = BUSY
    st.session_state.adjudicate_error = message, case.sentence_id
    return None
