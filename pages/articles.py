"""All articles: how many, which, and what to do with them."""

import streamlit as st

from annotate.jobs.many_articles import KINDS_OF_MANY
from annotate.operations.project_status import status
from annotate.project.home import look_up
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.review.blindness.released import sight_of
from annotate.topics.project_topic import current_topic
from pages.parts.articles.article_list import Chosen, article_table, filters, page_number
from pages.parts.articles.bulk import action_bar, what_became
from pages.parts.frame.page import annotator, link_to, may, open_page
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import job_panel, sample_button, start_job
from pages.parts.shared.panels import panel_buttons, panel_on_show
from pages.parts.shared.tables import metrics_row

header = open_page()
job_panel(["import"], ended=False)  # how it ended concerns who asked for it: the Import page lists that
job_panel(["propose"])
job_panel(KINDS_OF_MANY, ended=False)  # the person who began one is told below
now = status()
if not now["articles"] and not now["removed_articles"]:
    st.info("No articles yet. Import your own, or load the sample corpus to look around.", icon=":material/inbox:")
    sample_button(st.container(), disabled=not may(Right.IMPORT), type="primary")
    link_to("import_articles", "Import articles")
    st.caption(shown(f"This project looks for: {current_topic().name}. Choose another topic before you import."))
    link_to("topic", "Choose the topic")
    st.stop()

sight = look_up(sight_of, annotator())
metrics = {"Articles": now["articles"], "Full texts": now["full_text"], "Sentences": now["sentences"]}
if not sight.withheld:
    metrics |= {"Key sentences": now["key_sentences"], "Labelled articles": now["labelled_articles"]}
metrics_row({label: f"{value:,}" for label, value in metrics.items()}, columns=5)
if sight.note:
    st.caption(sight.note)
if bare := now["articles"] - now["articles_with_text"]:
    st.caption(f"{count_of(bare, 'article')} without text: the queue leaves {'it' if bare == 1 else 'them'} out.")
if (left := now["articles_to_propose"]) and not now["active_jobs"]:
    note, action = words_and_action()
    have = "have" if left != 1 else "has"
    note.caption(f"{count_of(left, 'article')} {have} no proposals of the version in use yet.")
    action.button("Propose", on_click=start_job, args=("propose", {}))

what_became()
wanted, found = filters()
actions = st.container()
number = page_number(found, wanted)
ticked = article_table(wanted, number, sight)
with actions:
    action_bar(ticked, Chosen(wanted, found, None))
panel_buttons(header, **dict(zip(("article", "other"), ticked, strict=False)))
panel_on_show()
