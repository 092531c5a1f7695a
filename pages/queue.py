"""Queue: which article comes next and why, how far the project is, and who holds what; or the best sentences of all."""

import streamlit as st

from annotate.active_learning.queue import whats_next
from annotate.project.home import read
from annotate.project.stored_settings import settings_now
from annotate.review.anchoring import anchoring
from annotate.review.assignments import open_leases, standing_of
from annotate.review.blindness.released import sight_of
from annotate.review.progress import progress
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import reviewed
from annotate.screening.standing import explanation
from pages.parts.frame.page import open_page, require_annotator
from pages.parts.review.progress_tables import how_far, influence
from pages.parts.review.queue_tables import (
    SENTENCES,
    board_numbers,
    lease_rows,
    next_card,
    next_table,
    nothing_waits,
    practise_first,
    queue_form,
    view_chosen,
)
from pages.parts.review.sentence_view import sentence_view

ROWS = 10

header = open_page()
reviewer = require_annotator()
queue_form(header)
if view_chosen() == SENTENCES:
    practise_first(reviewer)
    sentence_view(reviewer)
    st.stop()
with read() as session:
    settings = settings_now(session, QueueSettings)
    found = standing_of(session, reviewer)
    sight = sight_of(session, reviewer)
    known = reviewed(session, sight)
    now = progress(session, sight)
    compared = None if sight.withheld else anchoring(session)
    leases = open_leases(session)
    meaning = explanation(session)
if known.total:
    board_numbers(found, known, now)
if sight.note:
    st.caption(sight.note)

st.subheader("Your next article")
rows = whats_next(reviewer, ROWS + 1)
if rows:
    next_card(rows[0], reviewer)
else:
    nothing_waits(reviewer, elsewhere=False)
after, far = st.columns([3, 2], gap="medium")
with far:
    if now.pool:
        st.subheader("How far it is")
        how_far(now)
with after:
    if rows[1:]:
        st.subheader("After it")
        next_table(rows[1:], meaning, settings)
    if leases:
        st.subheader("Being reviewed now")
        lease_rows(leases)
if compared is not None and now.pool:
    influence(compared)
