"""Review: one article, its proposals and what the expert says of them."""

import zlib

import streamlit as st

import db.proposing.proposals
from annotate.articles.document_labels import EDITS, labels_of, parse_labels, store_labels, write_names
from annotate.learning.live_ranking import propose_anew, rank_when_opened
from annotate.learning.queue import hand_out
from annotate.project.home import read
from annotate.proposing.propose import NotEmbedded
from annotate.review.article_view import NoSuchArticle, reading_view
from annotate.review.assignments import finish_or_leave, take
from pages.parts.frame.page import open_page, require_annotator
from pages.parts.frame.text import shown
from pages.parts.review.queue_tables import nothing_waits
from pages.parts.review.reader import article_reader
from pages.parts.shared.job_panel import job_panel, start_job

header = open_page(heading=False)
reviewer = require_annotator()


def asked_for() -> int | None:
    """The article of the address, else what the queue hands out."""
    given = st.query_params.get("article", "")
    if given.isascii() and given.isdecimal() and len(given) < 16:
        return int(given)
    handed = hand_out(reviewer)
    return handed.article_id if handed else None


asked = asked_for()
if asked is None:
    st.header("Review")
    nothing_waits(reviewer)
    st.stop()
article_id = asked
st.query_params["article"] = str(article_id)


def forget() -> None:
    """Lets the next run read the article anew and mount another reader."""
    st.session_state.visit = st.session_state.get("visit", 0) + 1


def go_to_article() -> None:
    """Opens the article that the reader asks for; what "next" leads to is chosen by the script that runs then."""
    wanted = st.session_state[key].open
    if wanted == "next":
        finish_or_leave(reviewer, article_id)
        st.query_params.pop("article", None)
        forget()  # it may be the same article again, where no other waits
    elif wanted:
        st.query_params["article"] = str(wanted)


def save_labels() -> None:
    """Stores the document labels and proposes anew with them."""
    genes, cells, edits = (st.session_state[f"{name}_{form}"] for name in ("genes", "cells", "edit"))
    try:
        labels = parse_labels(genes, cells, ";".join(edits or []))
    except ValueError as error:
        st.session_state.label_error = str(error)
        return
    store_labels(article_id, labels)
    try:
        propose_anew(article_id)
    except NotEmbedded:  # the query with these names was never embedded
        start_job("propose", {"article_ids": [article_id]})
    forget()


job_panel(["propose"], ended=False)
# Frozen while the article is open: nothing changes under the expert's hands, and nothing is sent twice.
visit = (article_id, reviewer, st.session_state.get("visit", 0))
if st.session_state.get("reading_of") != visit:
    take(reviewer, article_id)
    try:
        rank_when_opened(reviewer, article_id)
        st.session_state.reading = reading_view(article_id, reviewer)
        st.session_state.reading_of = visit
    except NoSuchArticle as error:
        st.error(f"{str(error).capitalize()}. The address may be of another database.")
        st.stop()
with read() as session:
    newest = db.proposing.proposals.latest_fixed_set(session, article_id)
    stored = labels_of(session, [article_id])[article_id]
if newest > st.session_state.reading["proposal_set"]:  # what the verdicts re-ranked the reader shows by itself
    header.button("New proposals: reload", on_click=forget, icon=":material/refresh:", type="primary")
# The key changes with the stored labels: a form never writes an older state over a newer one.
form = f"{article_id}_{zlib.crc32(repr(stored).encode())}"
with header.popover("Genes, cells and edit", icon=":material/label:"), st.form(f"labels_{form}", border=False):
    st.text_input("Genes", write_names(stored.genes), key=f"genes_{form}", help="TP53|p53; MDM2")
    st.text_input("Cells", write_names(stored.cells), key=f"cells_{form}", help="HEK293T|293T; HeLa")
    st.multiselect("Edit", EDITS, list(stored.edits), key=f"edit_{form}")
    st.form_submit_button("Save and propose anew", on_click=save_labels, width="stretch")
if message := st.session_state.pop("label_error", None):
    st.error(shown(message))
key = "reader_" + "_".join(map(str, visit))
article_reader(st.session_state.reading, key=key, on_open=go_to_article)
