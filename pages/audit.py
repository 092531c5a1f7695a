"""Audit: predictions on the test articles that the labels call wrong, one at a time, and what experts say of them."""

import streamlit as st

import db.proposing.versions
from annotate.evaluation.audit import audited
from annotate.evaluation.audit_queue import Queue, outcomes, queue
from annotate.evaluation.evaluate_version import NotEnoughGold
from annotate.gold.label_sets import LabelSet, labels_now
from annotate.project.home import look_up, read
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.llm_ranking import NotAnswered
from annotate.proposing.propose import NotEmbedded, rankings_of
from db.tables import ModelVersion
from db.values import Split
from model.proposing.ranking import Ranking
from pages.parts.evaluation.audit_card import audit_card, audit_numbers
from pages.parts.evaluation.evaluation_tables import evaluate_button
from pages.parts.frame.page import end_with, open_page, require_annotator
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import job_panel

header = open_page()
expert = require_annotator()
serving = proposing_version()
job_panel(["evaluate"])
with read() as session:
    label_set = labels_now(session)
    versions = {version.name: version for version in db.proposing.versions.versions(session)}


def frozen(version: ModelVersion, ranking: Ranking, label_set: LabelSet) -> Queue:
    """The queue of this tab: ranked once, and again only for another choice or other labels."""
    wanted = (version.id, str(ranking), label_set.split_sha256[Split.TEST])
    if st.session_state.get("audit_of") != wanted:
        st.session_state.audit_queue = look_up(queue, version, ranking, label_set)
        st.session_state.audit_of = wanted
    kept: Queue = st.session_state.audit_queue
    return kept


note, left, right = st.columns([3, 1, 1], vertical_alignment="bottom")
note.caption(
    "An article with R key sentences has R predictions: its best-ranked sentences. Those without a key label are "
    "errors, or key sentences without a label. Your answers here are never trained on."
)
chosen = left.selectbox("Version", list(versions), index=list(versions).index(serving.name), key="audit_version")
possible = look_up(rankings_of, versions[chosen])
ranking = right.selectbox("Ranking", possible, key="audit_ranking")
try:
    made = frozen(versions[chosen], ranking, label_set)
except NotEnoughGold as error:
    end_with(f"Nothing to audit: {shown(str(error))}.", "review", "Review")
except NotAnswered as error:
    end_with(f"{shown(str(error)).capitalize()}.", icon="info")
except NotEmbedded:
    evaluate_button("Evaluate this version", {"versions": [chosen]}, unembedded=chosen)
    st.stop()
if made.errors:
    audit_card(made, expert)
else:
    st.success("No errors: every prediction on the test articles is a key sentence.", icon=":material/check:")
with read() as session:
    found = outcomes(made, audited(session, label_set))
audit_numbers(made, found, label_set)
