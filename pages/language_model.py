"""Language model: one more ranking, from a service that people name and agree to; off until then."""

import streamlit as st

import db.rows
from annotate.evaluation.evaluate_version import NotEnoughGold, evaluated_articles
from annotate.gold.label_sets import labels_now
from annotate.llm.llm_comparison import KIND, MEASURE, RANK, estimate
from annotate.project.home import read
from annotate.project.stored_settings import settings_now
from annotate.proposing.answers.llm_settings import LlmSettings, why_not_asked
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.llm_ranking import why_not_proposing
from db.articles import SPLITS
from db.tables import Job
from pages.parts.frame.messages import show_message
from pages.parts.frame.page import open_page
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import shown
from pages.parts.llm.llm_forms import (
    PROBLEM,
    comparison,
    consent_box,
    estimate_words,
    last_job,
    model_fields,
    start_asking,
)
from pages.parts.shared.job_panel import job_logs, job_panel
from pages.parts.shared.settings_form import settings_form

MOST = 1_000  # articles at once, by one click

open_page()
serving = proposing_version()
st.caption(
    "A large language model can rank sentences, too. Keyline asks it how likely each sentence is key by the "
    "guideline, and compares its ranking with the others. Where it is better, it may propose. It never gives a "
    "verdict."
)
show_message(PROBLEM)
job_panel([KIND])
with read() as session:
    settings = settings_now(session, LlmSettings)
    why_not = why_not_asked(session)
    silent = why_not_proposing(session, serving)
    jobs = [job for job in db.rows.latest(session, Job, kind=KIND, limit=20) if job.result]
left, right = st.columns(2, gap="large")
with left:
    st.subheader("Model")
    settings_form(LlmSettings, model_fields, PROBLEM)
with right:
    consent_box(settings)
    st.subheader("Ask")
    if why_not:
        st.info(f"{shown(why_not[0].upper() + why_not[1:])}.", icon=":material/info:")
    split = st.segmented_control("Articles with key sentences", SPLITS, default="test") or "test"
    with read() as session:
        try:
            articles = evaluated_articles(session, labels_now(session), split)
            words = estimate_words(*estimate(session, articles), settings)
        except NotEnoughGold as error:
            articles, words = [], f"Nothing to measure on: {error}."
    text, action = words_and_action()
    text.caption(shown(words))
    payload = {"task": MEASURE, "split": split}
    action.button(
        "Ask and compare", type="primary", disabled=bool(why_not) or not articles,
        on_click=start_asking, args=(payload,),
    )  # fmt: skip
    count, action = words_and_action("bottom")
    most = count.number_input("Or this many articles that it has not scored yet", 1, MOST, 50)
    action.button(
        "Score them", disabled=bool(why_not), on_click=start_asking,
        args=({"task": RANK, "most": most},),
    )  # fmt: skip
    now = (
        f"The model does not propose: {silent}." if silent else "The model proposes in the articles that it has scored."
    )
    st.caption(f":material/info: {shown(now)}")
if jobs:
    last_job(jobs[0])
measured = next((job for job in jobs if "compared" in job.result), None)
if measured:
    comparison(measured)
job_logs([KIND])
