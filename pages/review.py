"""Review: one article, its proposals and what the expert says of them."""

import zlib

import streamlit as st

import db.proposals
from annotate.home import read, write
from annotate.labels import EDITS, labels_of, parse_labels, set_labels, write_names
from annotate.propose import NotEmbedded, propose
from annotate.reading import NoSuchArticle, first_in_queue, reading_view
from pages.parts.job_panel import job_panel, start_job
from pages.parts.page import link_to, open_page, require_annotator, shown
from pages.parts.reader import article_reader

header = open_page("Review", heading=False)
reviewer = require_annotator()


def asked_for() -> int | None:
    """The article of the address, else the first of the queue."""
    given = st.query_params.get("article", "")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 16 else first_in_queue(reviewer)


article_id = asked_for()
if article_id is None:
    st.header("Review")
    st.info("Nothing to review yet: no article holds proposals. Import articles first.", icon=":material/inbox:")
    link_to("import_articles", "Import articles", icon=":material/upload_file:")
    st.stop()
st.query_params["article"] = str(article_id)


def forget() -> None:
    """Lets the next run read the article anew and mount another reader."""
    st.session_state.visit = st.session_state.get("visit", 0) + 1


def go_to_article() -> None:
    """Opens the article that the reader asks for."""
    if wanted := st.session_state[key].open:
        st.query_params["article"] = str(wanted)


def save_labels() -> None:
    """Stores the document labels and proposes anew with them."""
    genes, cells, edits = (st.session_state[f"{name}_{form}"] for name in ("genes", "cells", "edit"))
    try:
        labels = parse_labels(genes, cells, ";".join(edits or []))
    except ValueError as error:
        st.session_state.label_error = str(error)
        return
    with write() as session:
        set_labels(session, article_id, labels)
    try:
        propose(article_ids=[article_id])
    except NotEmbedded:  # the query with these names was never embedded
        start_job("propose", {"article_ids": [article_id]})
    forget()


job_panel(["propose"], ended=False)
# Frozen while the article is open: nothing changes under the expert's hands, and nothing is sent twice.
visit = (article_id, reviewer, st.session_state.get("visit", 0))
if st.session_state.get("reading_of") != visit:
    try:
        st.session_state.reading = reading_view(article_id, reviewer)
        st.session_state.reading_of = visit
    except NoSuchArticle as error:
        st.error(f"{str(error).capitalize()}. The address may be of another database.")
        st.stop()
with read() as session:
    newest = db.proposals.current_set(session, article_id)
    stored = labels_of(session, [article_id])[article_id]
if newest and newest.id != st.session_state.reading["proposal_set"]:
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
