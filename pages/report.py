"""Report: all that is known of how one version ranks, on one split under one label set, to read and to share."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.proposing.versions
import db.rows
from annotate.evaluation.evaluate_version import NotEnoughGold, evaluated_articles
from annotate.evaluation.report import stale
from annotate.gold.label_sets import labels_now
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.propose import rankings_of
from db.articles import ALL
from db.tables import Report
from db.values import Split
from model.proposing.ranking import Ranking
from pages.parts.evaluation.evaluation_tables import SHARES
from pages.parts.evaluation.report_html import html_of
from pages.parts.evaluation.report_view import report_sections
from pages.parts.frame.page import open_page
from pages.parts.frame.text import shown
from pages.parts.shared.downloads import File, offer
from pages.parts.shared.job_panel import job_logs, job_panel, start_job

CHANGED = {"labels": "the labels of these articles", "audit": "the audit"}

open_page()
serving = proposing_version()
job_panel(["report"])
with read() as session:
    label_set = labels_now(session)
    versions = {version.name: version for version in reversed(db.proposing.versions.versions(session))}


def picked(column: DeltaGenerator, label: str, names: list[str], default: str) -> str:
    """A picker that begins with what the address names."""
    asked = st.query_params.get(label.lower(), default)
    index = names.index(asked if asked in names else default)
    return column.selectbox(label, names, index=index, key=f"pick_{label.lower()}_{len(names)}")


pick_version, pick_ranking, pick_split, make, share = st.columns([3, 2, 2, 2, 2], vertical_alignment="bottom")
version = versions[picked(pick_version, "Version", list(versions), serving.name)]
split = picked(pick_split, "Articles", list(SHARES), Split.TEST)
with read() as session:
    # The learned ranking was fitted on the other splits.
    possible = [str(r) for r in rankings_of(session, version) if r is not Ranking.LEARNED or split == Split.TEST]
ranking = picked(pick_ranking, "Ranking", possible, Ranking.COSINE)
with read() as session:
    report = db.rows.find(session, Report, version_id=version.id, ranking=ranking, split=split)
    curve = db.proposing.versions.curve(session, version.id)
    changed = stale(session, report, label_set) if report else []
    try:
        problem = "" if evaluated_articles(session, label_set, split) else "there are none"
    except NotEnoughGold as error:
        problem = str(error)
make.button(
    "Make the report" if report is None else "Make it again",
    on_click=start_job,
    args=("report", {"version": version.name, "ranking": ranking, "split": split}),
    type="primary" if report is None or changed else "secondary",
    disabled=bool(problem),
    width="stretch",
)
if report is not None:
    address = (st.context.url or "").removesuffix("/report")
    page = File(
        "HTML file",
        f"report {version.name} {split} {ranking}.html",
        "text/html",
        Right.EVALUATE,
        partial(html_of, report.id, address),
        help="All of it in one file, to share or print. It opens without a network.",
    )
    with share:
        offer([page], key="report", stacked=True)
if problem:
    st.info(f"Nothing to report on: {shown(problem)}.", icon=":material/inbox:")
if report is None:
    if not problem:
        st.info("No report of this version with these settings yet: make it.", icon=":material/inbox:")
else:
    if changed:
        names = " and ".join(CHANGED[name] for name in changed)
        st.warning(f"Since this report was made, {names} changed. Make it again.", icon=":material/update:")
    made = f"Made {report.created_at[:16].replace('T', ' ')} UTC with label set {report.label_set_sha256[:12]}"
    seen = "; versions have seen the training articles" if split in ("train", ALL) else ""
    st.caption(shown(f"{made}{seen}."))
    report_sections(report, version, curve)
job_logs(["report"])
