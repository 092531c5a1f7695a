"""Start: what this project looks for, where it stands, and the next steps of the person who opens it."""

import streamlit as st

from annotate.operations.overview import next_steps, overview
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from annotate.topics.project_topic import topic_now
from pages.parts.frame.page import annotator, may, open_page
from pages.parts.shared.job_panel import job_panel
from pages.parts.start.where import show_numbers, show_steps, show_topic, show_versions

open_page()
name = annotator()
# What is quickly known is drawn first: after a start of the app, where many articles stand is counted for seconds.
place = st.container(key="step_place")
left, right = st.columns([3, 2], gap="large")
topic = look_up(topic_now)
with left:
    show_topic(topic)
with read() as session:
    now = overview(session, name)
    steps = next_steps(session, name, now)
with place:
    show_steps(steps, empty=not now.articles)
    backup = ["backup"] if may(Right.CANCEL) else []  # whose own page only admins open
    job_panel(["import", "propose", *backup], ended=False)
with right:
    st.subheader("Where it stands")
    show_numbers(now)
    show_versions(now)
