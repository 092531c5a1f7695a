"""Who said what about a sentence, in a dialog of any page; and the notice in place of an article that was removed."""

import uuid

import streamlit as st

import db.curation
from annotate.curation.removal import take_back
from annotate.gold.rows import about_sentence
from annotate.project.home import look_up
from annotate.project.refusals import note_refusal
from annotate.project.rights import Right
from annotate.review.events import Refused
from annotate.review.verdicts import undo, why_not_undo
from annotate.team.history import Event, Own
from pages.parts.frame.page import annotator, link_to, may
from pages.parts.frame.templates import render
from pages.parts.frame.text import local_time, shown
from pages.parts.shared.tables import text_table

UNDO_MESSAGE = "undone"
UNDONE = (Own.VERDICT, Own.DECISION)


@st.dialog("About this sentence", width="large", on_dismiss="rerun")
def sentence_history(sentence_id: int) -> None:
    """Shows the sentence and all its events; one's own verdict that counts can be undone here."""
    say_what_was_undone()
    sentence, title, found = look_up(about_sentence, sentence_id)
    st.markdown(f"**{shown(sentence.text)}**")
    st.caption(f"{shown(title)} · {shown(sentence.section)} · sentence {sentence.position}")
    rows = [
        {"time": local_time(one.time), "who": one.who, "kind": one.kind, "what": one.what, "source": one.source}
        for one in found
    ]
    text_table(rows, "Who said what", heads={"time": "Stored", "source": "Where from"})
    if not found:
        st.caption("You have not judged it.")
    for one in found:
        _undo_button(one)
    address = f"/review?article={sentence.article_id}"
    st.html(render("link.html.j2", address=address, text="Open the article in Review"))


def _undo_button(event: Event) -> None:
    by = annotator()
    if by is None or event.who != by or event.kind not in UNDONE:
        return
    if look_up(why_not_undo, by, event.id):
        return
    # Made once for the verdict: however often the button is pressed, it is undone once.
    event_id = st.session_state.setdefault(f"undo_event_{event.id}", uuid.uuid4().hex)
    st.button(
        f"Undo my {event.kind}: {event.what}",
        key=f"undo_{event.id}",
        icon=":material/undo:",
        on_click=_undo,
        args=(by, event, event_id),
    )


def _undo(by: str, event: Event, event_id: str) -> None:
    try:
        undo(by, event.id, event_id)
    except Refused as error:
        note_refusal(error)
        st.session_state[UNDO_MESSAGE] = f"Not undone. {error}"
    else:
        st.session_state.visit = st.session_state.get("visit", 0) + 1  # Review reads an article that is open anew
        st.session_state[UNDO_MESSAGE] = f"Undone: {event.what}. Your judgement before it counts again."


def say_what_was_undone() -> None:
    """Tells what the last click did, in the dialog or on the page behind it."""
    if message := st.session_state.pop(UNDO_MESSAGE, None):
        st.toast(shown(message), icon=":material/undo:")


def _take_back(article_id: int) -> None:
    take_back([article_id])


def stop_if_removed(article_id: int) -> None:
    """Ends the page with that notice where the article was removed."""
    removal = look_up(db.curation.removals_of, [article_id]).get(article_id)
    if removal is None:
        return
    why = f": {removal.reason}" if removal.reason else "."
    st.warning(shown(f"{removal.done_by} removed this article from the project{why}"), icon=":material/delete:")
    st.caption(f"At {local_time(removal.done_at)}. Restoring it brings back its verdicts and comments.")
    if may(Right.REMOVE):
        st.button("Restore", icon=":material/undo:", on_click=_take_back, args=(article_id,))
    link_to("articles", "Articles")
    st.stop()
