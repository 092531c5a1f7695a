"""The report of a version on the page Evaluate: figures that lead to the review of the articles behind them."""

from collections.abc import Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.active_learning.heads
import db.articles
import db.evaluation
import db.rows
from annotate.evaluation.report import stale
from annotate.gold.label_sets import LabelSet
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.proposing.propose import rankings_of
from db.tables import ModelVersion, Report
from db.values import Split
from model.proposing.ranking import Ranking
from pages.parts.evaluation.evaluation_tables import picked
from pages.parts.evaluation.report_html import html_of
from pages.parts.evaluation.report_sections import SECTIONS, Block, Figure
from pages.parts.frame.page import link_to
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import shown
from pages.parts.shared.downloads import File, offer
from pages.parts.shared.figures import show_figure
from pages.parts.shared.job_panel import start_job
from pages.parts.shared.tables import show_table

CHANGED = {"labels": "the labels of these articles", "audit": "the audit", "topic": "the topic or document labels"}
INBOX = ":material/inbox:"


def report_panel(version: ModelVersion, split: str, label_set: LabelSet, places: Sequence[DeltaGenerator]) -> None:
    """The report of a version on a split; in three `places` the choice of the ranking, and how to make and share it."""
    pick_ranking, make, share = places
    with read() as session:
        # The learned ranking was fitted on the other splits.
        possible = [str(r) for r in rankings_of(session, version) if r is not Ranking.LEARNED or split == Split.TEST]
        ranker = db.active_learning.heads.latest_ranker(session, version.id)
    ranking = picked(pick_ranking, "Ranking", possible, Ranking.COSINE)
    with read() as session:
        report = db.rows.find(session, Report, version_id=version.id, ranking=ranking, split=split)
        changed = stale(session, report, label_set) if report else []
    make.button(
        "Make the report again" if report else "Make the report",
        on_click=start_job,
        args=("report", {"version": version.name, "ranking": ranking, "split": split}),
        type="primary" if changed else "secondary",
    )
    if ranker:
        st.caption(f":material/school: Learned ranking of {shown(version.name)}: {shown(ranker.metrics['reason'])}.")
    if report is None:
        st.info("No report yet of this version and ranking. A report tells where the version errs.", icon=INBOX)
        return
    address = (st.context.url or "").removesuffix("/evaluate")
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
    if changed:
        names = " and ".join(CHANGED[name] for name in changed)
        st.warning(f"Since this report was made, {names} changed. Make it again.", icon=":material/update:")
    st.caption(f"Made {report.created_at[:16].replace('T', ' ')} UTC with label set {report.label_set_sha256[:12]}.")
    tabs = st.tabs(list(SECTIONS), on_change="rerun", key="report_tab")
    for tab, (title, blocks_of) in zip(tabs, SECTIONS.items(), strict=True):
        if tab.open:  # only what is shown is looked up
            with tab:
                for number, block in enumerate(blocks_of(report)):
                    _show(block, f"report_{title}_{number}")
                if title == "Confidence" and not any(report.content["audited"].values()):
                    st.caption("An annotator can say which of the predictions counted wrong are right.")
                    link_to("check", "Audit the errors", what="audit")


def _show(block: Block, key: str) -> None:
    if isinstance(block, str):
        st.caption(shown(block))
    elif isinstance(block, Figure):
        _figure(block, key)
    elif block.rows:
        rows = [{"review": _review(row["article"]), **row} if "article" in row else row for row in block.rows]
        bar = st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.2f")
        decimals = {name: st.column_config.NumberColumn(format="%.3f") for name in ("cosine", "parent")}
        wide = {name: st.column_config.TextColumn(width="large") for name in ("title", "sentence")}
        show_table(rows, column_config={"article": None, "R-precision": bar, **decimals, **wide})
    else:
        st.caption("None.")


def _figure(block: Figure, key: str) -> None:
    """A figure; the point that was clicked tells its sentence or its article, with the way to the review."""
    if not block.review:
        show_figure(block.drawn, key=key)
        return
    points = show_figure(block.drawn, key=key, on_select="rerun", selection_mode="points").selection.points
    if not points or not (place := points[0].get("customdata")):
        st.caption("Click a point to read what it stands for.")
        return
    article_id, *position = map(int, place)
    with read() as session:
        title = db.articles.titles(session, [article_id]).get(article_id, "")
        texts = db.evaluation.texts(session, {(article_id, each) for each in position})
    words, review = words_and_action()
    words.markdown("  \n".join([*(f"“{shown(text)}”" for text in texts.values()), f"*{shown(title)}*"]))
    review.link_button("Review", _review(article_id), icon=":material/rate_review:")


def _review(article_id: int) -> str:
    return f"/review?article={article_id}"
