"""Start: the next article of the person who opens it, how far the project is, what else waits, and what counts."""

import db.proposing
from annotate.operations.overview import PROPOSING, next_steps, overview
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from annotate.topics.project_topic import topic_now
from pages.parts.frame.page import annotator, may, open_page
from pages.parts.shared.job_panel import job_panel
from pages.parts.start.where import show_guideline, show_steps

open_page()
name = annotator()
with read() as session:
    now = overview(session, name)
    steps = next_steps(session, name, now)
show_steps(steps, now, name)
backup = ["backup"] if may(Right.CANCEL) else []  # whose own page only admins open
job_panel(
    [*PROPOSING, *backup],
    ended=False,
    news=lambda: not now.proposed and bool(look_up(db.proposing.count_proposed)),
)
show_guideline(look_up(topic_now))
