"""History: who did what and when, newest first; one's own verdicts can be undone from here."""

import streamlit as st

from annotate.project.home import look_up
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.team.history import events
from pages.parts.frame.page import annotator, link_to, may, open_page
from pages.parts.frame.rows import words_and_action
from pages.parts.review.sentence_history import say_what_was_undone, sentence_history
from pages.parts.shared.tables import ABOUT
from pages.parts.team.history_view import cursors, downloads, event_table, filters, show_mine, turn_pages

PAGE = 50

header = open_page()
say_what_was_undone()
me, everybody = annotator(), may(Right.HISTORY)
if me:
    header.button(
        "My verdicts", on_click=show_mine, args=(me,), icon=":material/filter_alt:", help="To undo one, choose it."
    )
wanted = filters(me, everybody=everybody)
if wanted is None:
    st.stop()
turned = cursors(wanted)
page = look_up(events, wanted, PAGE, turned[-1])
if page.events:
    note, files = words_and_action()
    entries = count_of(len(page.events), "entry", "entries")
    note.caption(
        f"{entries} on this page. Choose a row to see who said what about its sentence, and to undo what you said."
    )
    if everybody:
        with files.popover("Export", icon=":material/download:"):
            downloads(wanted)
    event_table(page.events, len(turned))
    turn_pages(turned, page.next)
else:
    st.info("There are no such events yet.", icon=":material/inbox:")
    link_to("review", "Review")
if sentence_id := st.session_state.pop(ABOUT, None):
    sentence_history(sentence_id)
