"""Retrain: what a run would learn from, one button, and the new version's numbers beside its parent's."""

from typing import Any

import streamlit as st

import db.versions
from annotate.evaluate import NotEnoughGold
from annotate.gold import current_label_set
from annotate.home import read
from annotate.training_set import label_table, origin_counts, training_set
from annotate.versions import proposing_version
from annotate.work import payload_of
from model.settings import LOSS_NAMES, Negatives, TrainingSettings
from pages.parts.job_panel import job_logs, job_panel, start_job
from pages.parts.page import open_page, shown
from pages.parts.promotion import promotion_panel

open_page("Retrain")
serving = proposing_version()
with read() as session:
    label_set = current_label_set(session)
    table = label_table(session, label_set)
    origins = origin_counts(session)
    names = [version.name for version in db.versions.versions(session)]

job_panel(["train", "evaluate", "propose"])
data, form = st.columns([1, 1], gap="large")
with data:
    st.subheader("Labels")
    st.dataframe(
        table,
        hide_index=True,
        width="stretch",
        column_config={"key": "key sentences", "not_key": "not key", "read_in_full": "read in full"},
    )
    st.caption("Splits are by article, fixed at import. Test articles are never trained on.")
    if origins:
        st.caption("Labels by origin: " + ", ".join(f"{count:,} {name}" for name, count in origins.items()))

defaults = TrainingSettings(query=serving.query)
with form, st.container(border=True):
    st.subheader("Settings")
    parent = st.selectbox("Parent version", names, index=names.index(serving.name))
    query = st.text_input(
        "Query",
        defaults.query or "",
        placeholder="each article's own: [genes] knockout from [cells]",
        help="What every sentence is compared with. Empty: each article's own query, from its document labels.",
    )
    left, right = st.columns(2)
    epochs = left.number_input("Epochs", 1, 100, defaults.epochs)
    negatives = right.selectbox(
        "Not key are",
        list(map(str, Negatives)),
        index=list(Negatives).index(defaults.negatives),
        help="reviewed: rejected sentences, and unlabelled ones of articles read in full. "
        "unlabelled: these, and unlabelled ones of any labelled article, as weak negatives.",
    )
    with st.expander("More settings"):
        left, right = st.columns(2)
        loss = left.selectbox("Loss", LOSS_NAMES, index=LOSS_NAMES.index(defaults.loss))
        margin = right.number_input("Margin", 0.0, 2.0, defaults.margin, 0.1)
        batch_size = left.number_input("Batch size", 2, 1024, defaults.batch_size)
        learning_rate = right.number_input("Learning rate", 1e-8, 1e-2, defaults.learning_rate, format="%.1e")
        per_key = left.number_input("Negatives per key sentence", 1, 10_000, defaults.negatives_per_key)
        seed = right.number_input("Seed", 0, 2**31 - 1, defaults.seed)
    chosen: dict[str, Any] = {
        "query": query.strip() or None,
        "epochs": epochs,
        "negatives": negatives,
        "loss": loss,
        "margin": margin,
        "batch_size": batch_size,
        "learning_rate": learning_rate,
        "negatives_per_key": per_key,
        "seed": seed,
    }
    try:
        settings = TrainingSettings(**chosen)
        with read() as session:
            counts = training_set(session, label_set, settings, "train").counts
        st.caption(f"{counts['key']:,} key sentences and {counts['not_key']:,} others, {epochs} times.")
        problem = None
    except (NotEnoughGold, ValueError) as error:
        problem = str(error)
        st.warning(f"Cannot train yet: {shown(problem)}.", icon=":material/info:")
    st.button(
        "Retrain",
        type="primary",
        width="stretch",
        disabled=problem is not None,
        on_click=start_job,
        args=("train", payload_of(settings, parent) if problem is None else {}),
    )

promotion_panel(label_set.sha256)
job_logs(["train", "evaluate", "propose"])
