"""Progress: how many key sentences are found and probably still unfound, and what showing proposals does to experts."""

import streamlit as st

from annotate.project.home import read
from annotate.project.words import count_of
from annotate.review.anchoring import anchoring, in_words
from annotate.review.blindness.released import sight_of
from annotate.review.progress import advice, missed_in_words, progress
from annotate.review.waiting import reviewed
from pages.parts.frame.page import annotator, end_with, open_page
from pages.parts.frame.text import shown
from pages.parts.review.progress_tables import anchoring_counts, anchoring_table, found_curve, last_articles, numbers
from pages.parts.shared.figures import show_figure

open_page()
with read() as session:
    sight = sight_of(session, annotator())
    now = progress(session, sight)
    known = reviewed(session, sight)
    compared = None if sight.withheld else anchoring(session)

if not now.pool:
    end_with("No article holds proposals yet.", "import_articles", "Import")
if sight.note:
    st.caption(sight.note)
numbers(now, known)
st.markdown(f"**{shown(' '.join(advice(now)))}**")
if now.articles:
    left, right = st.columns([3, 2], gap="medium")
    show_figure(found_curve(now), key="progress_found", place=left)
    left.caption(
        f"The estimate uses only articles that were drawn at random, {now.draws:,} so far. It is advice: you decide "
        "when to stop."
        + (f" Drawn and not finished: {count_of(now.unfinished_draws, 'article')}; if they are unusual, the "
        "estimate is off."
           if now.unfinished_draws else "")
    )  # fmt: skip
    show_figure(last_articles(now), key="progress_last", place=right)
    right.caption(
        "Each bar is a finished article, in order. Many crosses at the end mean that few key sentences are left."
    )
    st.markdown(f"**Missed inside articles**: {shown(missed_in_words(now.missed))}")

if compared is None:
    st.stop()
st.subheader("Do proposals influence experts?")
st.caption(
    "Some articles, drawn at random, are given out without proposals. Keyline compares the key sentences that experts "
    "find with and without proposals."
)
for sentence in in_words(compared):
    st.markdown(shown(sentence))
anchoring_table(compared)
anchoring_counts(compared)
