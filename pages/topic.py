"""Topic: what the project looks for; chosen, copied and changed, with a preview of the sentences it would rank
first."""

import streamlit as st

import db.rows
from annotate.project.home import read
from annotate.topics.project_topic import SHORT, topic_now, why_unreadable
from db import tables
from pages.parts.articles.topic_by_examples import by_examples_form
from pages.parts.articles.topic_form import topic_form
from pages.parts.frame.messages import show_message
from pages.parts.frame.page import open_page, require_annotator
from pages.parts.frame.text import local_time, shown
from pages.parts.shared.job_panel import job_panel

open_page()
by = require_annotator()
with read() as session:
    now = topic_now(session)
    stored = db.rows.find(session, tables.Topic)
    unreadable = why_unreadable(session)
if unreadable:
    st.warning(
        shown(f"The stored topic cannot be used. Only the cosine ranks until it is corrected. The reason: {unreadable}")
    )
for field, reason in now.left_out:
    st.warning(shown(f"{field} is left out of all searches until the topic is changed: {reason}."))
with st.container():  # always there, or the tabs below would move, and the first one come forward
    show_message("topic_error")
since = f"chosen by {stored.chosen_by}, {local_time(stored.created_at)}" if stored else "as Keyline came"
st.caption(shown(f"In use: {now.name}, {since}. {now.file.about}"), help=f"Its version: {now.sha256[:SHORT]}")
job_panel(["propose"], ended=False)
ways = ["By examples", "All parts"]
first = ways[unreadable is not None]
way = st.segmented_control("Written", ways, default=first, key="topic_way", label_visibility="collapsed")
if (way or first) == ways[0]:
    by_examples_form(now, by)
else:
    topic_form(now, by, unreadable=unreadable is not None)
