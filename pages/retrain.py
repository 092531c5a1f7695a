"""Retrain: whether it is worth it, what it would learn from, one button, and how each version stands."""

import streamlit as st

import db.jobs
import db.registry
import db.review.verdicts
from annotate.gold.label_sets import labels_now
from annotate.project.home import read
from annotate.proposing.encoder_versions import proposing_version
from annotate.retraining.training_set import label_table
from pages.parts.evaluation.comparison_card import version_cards
from pages.parts.frame.page import open_page
from pages.parts.frame.shown import shown_parts
from pages.parts.retraining.retrain_advice import advice_line, change_panel, policy_panel
from pages.parts.retraining.training_form import training_form
from pages.parts.shared.job_panel import job_logs, job_panel, latest_job
from pages.parts.shared.tables import text_table

COUNTS = {"articles": "Articles", "key": "Key sentences", "not_key": "Not key", "read_in_full": "Read in full"}
JOBS = ("encoder", "train", "evaluate", "encoders", "propose")

open_page()
serving = proposing_version()
with read() as session:
    label_set = labels_now(session)
    table = label_table(session, label_set)
    origins = db.review.verdicts.count_by_origin(session)
    versions = db.registry.encoders(session)

job_panel(JOBS)
job = latest_job("train")
training = job is not None and job.state in db.jobs.ACTIVE
with st.container():  # the parts below keep their place
    advice = advice_line(label_set, training=training)
data, form = st.columns([1, 1], gap="large")
with data:
    st.subheader("Labels")
    text_table(table, "Labels by split", heads=COUNTS)
    st.caption("Splits are by article, fixed at import. Test articles are never trained on.")
    if label_set.picked:
        st.caption("An article judged only under Queue, Sentences, counts in the train split alone.")
    if origins:
        st.caption("Labels by origin: " + ", ".join(f"{count:,} {name}" for name, count in origins.items()))
    change_panel(advice)
train_row, test_row = table[0], table[-1]
missing = [row["split"] for row in (train_row, test_row) if not row["key"]]
with form:
    with st.container(border=True):
        st.subheader("Settings")
        training_form(versions, serving, train_row["key"], missing, training=training)
    policy_panel()

version_cards()
for draw in (draw for part in shown_parts() for draw in part.retrain):
    draw()
job_logs(JOBS)
