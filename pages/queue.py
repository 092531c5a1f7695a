"""Queue: which article comes next and why, who holds what, and how the queue is set; or the best sentences of all."""

import streamlit as st

from annotate.active_learning.queue import whats_next
from annotate.project.home import read
from annotate.project.stored_settings import settings_now
from annotate.review.assignments import open_leases, standing_of
from annotate.review.blindness.released import sight_of
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import reviewed
from annotate.screening.standing import explanation
from pages.parts.frame.page import open_page, require_annotator
from pages.parts.review.queue_tables import (
    SENTENCES,
    lease_rows,
    next_card,
    next_table,
    nothing_waits,
    practise_first,
    queue_counts,
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
    known = reviewed(session, sight_of(session, reviewer))
    leases = open_leases(session)
    meaning = explanation(session)
queue_counts(found, known)

st.subheader("Your next article")
rows = whats_next(reviewer, ROWS + 1)
if rows:
    next_card(rows[0], settings)
else:
    nothing_waits(reviewer, elsewhere=False)
if rows[1:]:
    st.subheader("After it")
    next_table(rows[1:], meaning)

st.subheader("In hand now")
if leases:
    lease_rows(leases)
else:
    st.caption(
        f"No person holds an article. One is leased for {settings.lease_minutes} min when it is opened in Review."
    )
