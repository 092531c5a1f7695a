"""Evaluate: versions side by side, the cosines behind the numbers, and the articles that go worst."""

import streamlit as st

import db.active_learning.heads
import db.articles
import db.proposing.versions
from annotate.articles.works import divided_works
from annotate.evaluation.evaluate_version import NotEnoughGold, evaluated_articles
from annotate.evaluation.last_figures import last_figures
from annotate.gold.label_sets import labels_now
from annotate.project.home import look_up, read
from annotate.proposing.encoder_versions import proposing_version
from model.proposing.ranking import Ranking
from pages.parts.evaluation.evaluation_tables import (
    SHARES,
    age_of,
    article_table,
    by_itself_switch,
    metrics_table,
    rows_of,
)
from pages.parts.frame.page import end_with, open_page
from pages.parts.frame.text import shown
from pages.parts.shared.charts import arp_by_version, cosine_histogram, threshold_curves
from pages.parts.shared.figures import show_figure
from pages.parts.shared.job_panel import job_panel, start_job

# The number of works in two splits that are named by their titles.
NAMED = 3

open_page()
serving = proposing_version()
job_panel(["evaluate"])
split = st.segmented_control("Articles", SHARES, default="test") or "test"
with read() as session:
    label_set = labels_now(session)
    divided = divided_works(session)
    titles = db.articles.titles(session, [work[0] for work in divided[:NAMED]])
    versions = list(db.proposing.versions.versions(session))
    try:
        articles = evaluated_articles(session, label_set, split)
    except NotEnoughGold as error:
        end_with(f"Nothing to evaluate on: {shown(str(error))}.")
    figures = {
        (version.name, str(ranking)): found
        for version in versions
        for ranking in Ranking
        if (found := last_figures(session, version.id, ranking, split, label_set))
    }
note, action = st.columns([4, 1], vertical_alignment="center")
note.caption(
    f"{len(articles):,} articles with key sentences; ARP is the mean share of an article's R key sentences among "
    "its R best-ranked. Numbers from earlier labels are grey and show their age."
)
action.button(
    "Evaluate all versions",
    on_click=start_job,
    args=("evaluate", {"versions": [v.name for v in versions], "rankings": list(map(str, Ranking)), "split": split}),
    width="stretch",
    type="primary",
)
if divided:
    named = "; ".join(titles[work[0]] for work in divided[:NAMED])
    st.warning(
        f"{len(divided):,} works lie in two splits, so that a version may have learnt what it is measured on: "
        f"{shown(named)}{', ...' if len(divided) > NAMED else '.'}",
        icon=":material/warning:",
    )
if split != "test":
    st.caption(":material/info: Versions have seen the training articles, and validation chose their best epoch.")
by_itself_switch()
if not figures:
    end_with("No version was evaluated on these articles yet.")

rows = rows_of(figures)
chart, table = st.columns([2, 3])
show_figure(arp_by_version(rows), key="arp", place=chart)
metrics_table(table, rows, split)

names = list(dict.fromkeys(version for version, _ in figures))
left, right = st.columns(2)
version = left.selectbox("Version", names, index=names.index(serving.name) if serving.name in names else 0)
ranking = right.selectbox("Ranking", [r for v, r in figures if v == version])
evaluation = figures[version, ranking].evaluation
if figures[version, ranking].old:
    st.caption(f":material/history: These numbers come from earlier labels: {age_of(figures[version, ranking])}.")
ranker = look_up(db.active_learning.heads.latest_ranker, evaluation.version_id)
if ranker:
    st.caption(f":material/school: Learned ranking of {shown(version)}: {shown(ranker.metrics['reason'])}.")
left, right = st.columns(2)
left.markdown("**Cosines by label**")
show_figure(cosine_histogram(evaluation.histogram), key="histogram", place=left)
right.markdown("**Key sentences found, and how pure, by cosine threshold**")
show_figure(threshold_curves(evaluation.histogram), key="threshold", place=right)

st.subheader("Articles, worst first")
scores = look_up(db.proposing.versions.article_scores, evaluation.id)
article_table(scores)
