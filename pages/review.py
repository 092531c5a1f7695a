"""Review: one article, its proposals and what the expert says of them."""

import zlib

import streamlit as st

import db.proposing
from annotate.active_learning.live_ranking import propose_anew, rank_when_opened
from annotate.active_learning.queue import hand_out
from annotate.articles.document_labels import labels_of, store_labels
from annotate.project.home import read
from annotate.proposing.propose import NotEmbedded
from annotate.review.article_view import NoSuchArticle, reading_view
from annotate.review.assignments import finish_or_leave, take
from annotate.topics.project_topic import topic_now
from db.engine import DATABASE_ERRORS
from pages.parts.frame.messages import keep_error, show_message
from pages.parts.frame.page import number_in_address, open_page, require_annotator
from pages.parts.frame.shown import shown_parts
from pages.parts.review.queue_tables import nothing_waits, practise_first
from pages.parts.review.reader import article_heading, article_reader
from pages.parts.review.sentence_history import stop_if_removed
from pages.parts.shared.job_panel import job_note, start_job
from pages.parts.shared.label_form import label_fields, labels_in, labels_title
from pages.parts.shared.panels import open_panel, panel_buttons, panel_on_show

header = open_page(heading=False)
reviewer = require_annotator()


def asked_for() -> int | None:
    """The article of the address, else what the queue hands out."""
    if not wants_next and (given := number_in_address("article")) is not None:
        return given
    try:
        handed = hand_out(reviewer)
    except DATABASE_ERRORS:
        st.query_params.pop("article", None)  # who asks again asks the queue, not for the article before
        raise
    return handed.article_id if handed else None


# The address changes once, so that the browser's Back leads to the article before.
wants_next = st.session_state.pop("wants_next", False)
if wants_next or "article" not in st.query_params:
    practise_first(reviewer)
asked = asked_for()
if asked is None:
    st.query_params.pop("article", None)
    st.header("Review")
    nothing_waits(reviewer)
    st.stop()
article_id = asked
st.query_params["article"] = str(article_id)
stop_if_removed(article_id)


def forget() -> None:
    """Lets the next run read the article again and mount another reader."""
    st.session_state.visit = st.session_state.get("visit", 0) + 1


def go_to_article() -> None:
    """Opens the article that the reader asks for; what "next" leads to is chosen by the script that runs then."""
    wanted = st.session_state[key].open
    st.query_params.pop("sentence", None)
    if wanted == "next":
        finish_or_leave(reviewer, article_id)
        st.session_state.wants_next = True
        forget()  # it may be the same article again, where no other waits
    elif wanted:
        st.query_params["article"] = str(wanted)


def show_alike() -> None:
    """Opens what is like the sentence that the reader asks about."""
    open_panel("alike", article=article_id, sentence=st.session_state[key].alike)


def save_labels() -> None:
    """Stores the document labels and proposes again with them."""
    with keep_error("label_error"):
        store_labels(article_id, labels_in(topic, stored, form))
        rank_anew()


def rank_anew() -> None:
    """Proposes sentences again with the labels as they are now."""
    try:
        propose_anew(article_id)
    except NotEmbedded:  # the query with these names was never embedded
        start_job("propose", {"article_ids": [article_id]})
    forget()


job_note(header, "propose")
# Frozen while the article is open: nothing changes under the expert's hands, and nothing is sent twice.
visit = (article_id, reviewer, st.session_state.get("visit", 0))
if st.session_state.get("reading_of") != visit:
    take(reviewer, article_id)
    try:
        rank_when_opened(reviewer, article_id)
        with read() as session:
            more = {name: view(session, article_id) for part in shown_parts() for name, view in part.reading.items()}
        st.session_state.reading = (
            reading_view(article_id, reviewer) | {"open_at": number_in_address("sentence")} | more
        )
        st.session_state.reading_of = visit
    except NoSuchArticle as error:
        st.error(f"{str(error).capitalize()}. The address may be of another database.")
        st.stop()
article_heading(header, st.session_state.reading["article"])
with read() as session:
    newest = db.proposing.latest_fixed_set(session, article_id)
    stored = labels_of(session, [article_id])[article_id]
    topic = topic_now(session)
if newest > st.session_state.reading["proposal_set"]:  # what the verdicts re-ranked the reader shows by itself
    header.button("New proposals: reload", on_click=forget, icon=":material/refresh:", type="primary")
panel_buttons(header, article=article_id)
# The key changes with the stored labels: a form never writes an older state over a newer one.
form = f"{article_id}_{zlib.crc32(repr((stored, topic.sha256)).encode())}"
if title := labels_title(topic):
    labels_shown = header.popover(title, icon=":material/label:")
    with labels_shown, st.form(f"labels_{form}", border=False):
        label_fields(topic, stored, form)
        st.form_submit_button("Save and propose again", on_click=save_labels)
    for draw in (tool for part in shown_parts() for tool in part.label_tools):
        draw(header, labels_shown, article_id, rank_anew)
show_message("label_error")
key = "reader_" + "_".join(map(str, visit))
article_reader(st.session_state.reading, key=key, on_open=go_to_article, on_alike=show_alike)
panel_on_show()
