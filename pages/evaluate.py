"""Evaluate: how all versions rank, how one stands against the proposing one, and its report, to read and to share."""

from itertools import product

import streamlit as st

import db.articles
import db.registry
from annotate.articles.works import divided_works
from annotate.evaluation.evaluate_version import NotEnoughGold, evaluated_articles
from annotate.evaluation.last_figures import last_figures
from annotate.gold.label_sets import labels_now
from annotate.project.home import read
from annotate.project.words import count_of
from annotate.proposing.encoder_versions import proposing_version
from db.values import Split
from model.proposing.ranking import Ranking
from pages.parts.evaluation.comparison_card import comparison_card
from pages.parts.evaluation.evaluation_tables import SHARES, by_itself_switch, metrics_table, picked, rows_of
from pages.parts.evaluation.report_view import report_panel
from pages.parts.frame.page import end_with, open_page
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import job_logs, job_panel, start_job

# The number of works in two splits that are named by their titles.
NAMED = 3
JOBS = ("evaluate", "report")

open_page()
serving = proposing_version()
job_panel(JOBS)
fields, action = words_and_action("bottom")
pick_split, switch = fields.columns([2, 5], vertical_alignment="bottom")
split = picked(pick_split, "Articles", list(SHARES), Split.TEST)
with read() as session:
    label_set = labels_now(session)
    divided = divided_works(session)
    titles = db.articles.titles(session, [work[0] for work in divided[:NAMED]])
    versions = {version.name: version for version in reversed(db.registry.encoders(session))}
    try:
        articles = evaluated_articles(session, label_set, split)
    except NotEnoughGold as error:
        end_with(f"Nothing to evaluate on: {shown(str(error))}.", "review", "Review")
    figures = last_figures(session, product(versions.values(), Ranking), split, label_set)
with switch:
    by_itself_switch()
action.button(
    "Evaluate all versions",
    on_click=start_job,
    args=("evaluate", {"versions": list(versions), "rankings": list(map(str, Ranking)), "split": split}),
    type="secondary" if figures else "primary",
)
if divided:
    named = "; ".join(titles[work[0]] for work in divided[:NAMED])
    st.warning(
        f"Two splits share {count_of(len(divided), 'work')}, so a version may have learnt from a test article: "
        f"{shown(named)}{', ...' if len(divided) > NAMED else '.'}",
        icon=":material/warning:",
    )
if split != Split.TEST:
    st.caption(
        ":material/info: Versions learnt from these articles or were chosen by them: only test measures them fairly."
    )
if figures:
    metrics_table(rows_of(figures))
    st.caption(
        f"{count_of(len(articles), 'article')} with key sentences. ARP is the mean share of an article's R key "
        "sentences among its R best-ranked. Grey numbers are of earlier labels or another topic."
    )
else:
    st.info("No version was evaluated on these articles yet.", icon=":material/inbox:")

pick_version, *more = st.columns([3, 2, 2, 2], vertical_alignment="bottom")
version = versions[picked(pick_version, "Version", list(versions), serving.name)]
if version.id != serving.id:
    comparison_card(version, serving)
report_panel(version, split, label_set, more)
job_logs(JOBS)
