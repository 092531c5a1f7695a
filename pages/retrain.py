"""Retrain: what a run would learn from, one button, and the new version's numbers beside its parent's."""

import streamlit as st

import db.versions
from annotate.gold import current_label_set
from annotate.home import read
from annotate.training_set import label_table, origin_counts
from annotate.versions import proposing_version
from annotate.work import payload_of
from model.settings import LOSS_NAMES, Negatives, TrainingSettings
from pages.parts.job_panel import job_logs, job_panel, start_job
from pages.parts.page import open_page, shown
from pages.parts.promotion import promotion_panel

FIELDS = ("epochs", "negatives", "loss", "margin", "batch_size", "learning_rate", "negatives_per_key", "seed")

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


def start_training() -> None:
    """Starts the run with what the form holds at the click."""
    state = st.session_state
    chosen = {name: state[name] for name in FIELDS} | {"query": state.query.strip() or None}
    try:
        settings = TrainingSettings(**chosen)
    except ValueError as error:
        state.training_error = str(error)
    else:
        start_job("train", payload_of(settings, state[f"parent_{serving.id}"]))


with form, st.container(border=True):
    st.subheader("Settings")
    st.selectbox("Parent version", names, index=names.index(serving.name), key=f"parent_{serving.id}")
    st.text_input(
        "Query",
        defaults.query or "",
        key="query",
        placeholder="each article's own: [genes] knockout from [cells]",
        help="What every sentence is compared with. Empty: each article's own query, from its document labels.",
    )
    left, right = st.columns(2)
    left.number_input("Epochs", 1, 100, defaults.epochs, key="epochs")
    right.selectbox(
        "Not key are",
        list(map(str, Negatives)),
        index=list(Negatives).index(defaults.negatives),
        key="negatives",
        help="reviewed: rejected sentences, and unlabelled ones of articles read in full. "
        "unlabelled: these, and unlabelled ones of any labelled article, as weak negatives.",
    )
    with st.expander("More settings"):
        left, right = st.columns(2)
        left.selectbox("Loss", LOSS_NAMES, index=LOSS_NAMES.index(defaults.loss), key="loss")
        right.number_input("Margin", 0.0, 2.0, defaults.margin, 0.1, key="margin")
        left.number_input("Batch size", 2, 1024, defaults.batch_size, key="batch_size")
        right.number_input("Learning rate", 1e-8, 1e-2, defaults.learning_rate, format="%.1e", key="learning_rate")
        left.number_input("Negatives per key sentence", 1, 10_000, defaults.negatives_per_key, key="negatives_per_key")
        right.number_input("Seed", 0, 2**31 - 1, defaults.seed, key="seed")
    train_row, test_row = table[0], table[-1]
    missing = [row["split"] for row in (train_row, test_row) if not row["key"]]
    with st.container():  # the button keeps its place whatever is said above it
        if missing:
            splits = " and ".join(missing)
            st.warning(f"Cannot train yet: no key sentence in the {splits} split.", icon=":material/info:")
        if message := st.session_state.pop("training_error", None):
            st.error(shown(message), icon=":material/error:")
    st.button("Retrain", type="primary", width="stretch", disabled=bool(missing), on_click=start_training)

promotion_panel(label_set.split_sha256["test"])
job_logs(["train", "evaluate", "propose"])
