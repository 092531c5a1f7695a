"""Adjudicate: the sentences on which annotators disagree, one at a time, and what a curator decides."""

import streamlit as st

import db.articles
from annotate.project.home import look_up, read
from annotate.team.adjudication import Kinds, cases, disputes
from pages.parts.frame.page import link_to, number_in_address, open_page, require_annotator
from pages.parts.team.adjudicate_card import adjudicate_card, go_to_article, refusal
from pages.parts.team.adjudicate_text import all_cases, whole_article

header = open_page()
curator = require_annotator()
with header.popover("Options", icon=":material/tune:"):
    names = st.toggle(
        "Show names", key="adjudicate_names", help="If off, annotators are A, B, …, with new letters in each article."
    )
    everything = st.toggle(
        "All articles",
        key="adjudicate_all",
        help="Includes articles that annotators still judge without seeing each other's verdicts.",
    )
    passed_over = st.toggle(
        "Passed over",
        value=True,
        key="adjudicate_passed",
        help="One called it key. Another read the whole article and did not mark it.",
    )
    unsure = st.toggle("Unsure", key="adjudicate_unsure", help="Unsure for one, key or not key for another.")
kinds = Kinds(passed_over=passed_over, unsure=unsure)
disputed = look_up(disputes, kinds, everything=everything)
ready = disputed.ready
at_work = {row.article_id for row in disputed.at_work}


def article_at_hand() -> int | None:
    """The article of the address, where anything is or was to be decided in it; else the first that is ready."""
    wanted = number_in_address("article")
    if wanted in at_work:
        st.info(
            "Annotators are still reviewing that article. To open it, choose Options, All articles.",
            icon=":material/hourglass:",
        )
    elif wanted:
        if look_up(cases, wanted, kinds):
            return wanted
        st.info("That article has nothing to decide.", icon=":material/inbox:")
    return ready[0].article_id if ready else None


article_id = article_at_hand()
if not ready:
    nothing = "No disputed sentence is waiting for a decision."
    if at_work:
        st.info(f"{nothing} {disputed.words}.", icon=":material/hourglass:")
    else:
        st.success(nothing, icon=":material/check:")
        link_to("gold", "Gold")
if article_id is None:
    refusal(())
    st.stop()
st.query_params["article"] = str(article_id)  # another may come first while this one is worked on
with read() as session:
    found = cases(session, article_id, kinds)
    title = db.articles.titles(session, [article_id])[article_id]
labels = {row.article_id: f"{len(row.sentence_ids)} · {row.title}" for row in ready}
options = labels if article_id in labels else {article_id: f"Decided · {title}"} | labels
total = sum(len(row.sentence_ids) for row in ready)
if ready:
    st.selectbox(
        disputed.words,
        list(options),
        index=list(options).index(article_id),
        format_func=lambda number: options[number],
        key=f"adjudicate_article_{article_id}_{total}",
        on_change=lambda: go_to_article(st.session_state[f"adjudicate_article_{article_id}_{total}"]),
    )
adjudicate_card(found, curator, ahead=[number for number in labels if number != article_id], names=names)
all_cases(found, names=names)
if st.toggle("The whole article", key=f"adjudicate_whole_{article_id}"):
    whole_article(article_id, {case.sentence_id for case in found})
