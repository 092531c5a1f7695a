"""Practice round: newcomers judge articles whose key sentences are known, and see how far they agree with them."""

import streamlit as st

from annotate.gold.practice import answers, finish, left_of, practice_view, round_now
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.project.words import count_of
from pages.parts.frame.page import end_with, may, open_page, require_annotator
from pages.parts.review.practice_tables import everybody, own_score, round_form, show_feedback
from pages.parts.review.reader import article_heading, article_reader

header = open_page()
reviewer = require_annotator()
if may(Right.QUEUE):
    round_form(header, reviewer)
with read() as session:
    order = round_now(session, reviewer)
    left = left_of(session, reviewer)
    given = answers(session)
mine = given.get(reviewer, {})
if not order:
    end_with("No practice round has been set up. Curators choose its articles here, under Articles.", icon="school")
finished = [number for number in order if number not in left]


def end_article() -> None:
    """What the reader calls "next": the article is done, and its feedback comes."""
    if st.session_state[key].open == "next":
        finish(reviewer, left[0])
        st.session_state.pop("practising", None)
        st.session_state.practice_seen = left[0]


def go_on() -> None:
    """The next article."""
    st.session_state.practising = True
    st.session_state.pop("practice_seen", None)


seen = st.session_state.get("practice_seen")
if left and st.session_state.get("practising") and seen is None:
    st.caption(
        "Judge as in Review. These judgements are not stored as verdicts. Next ends the article and shows the known "
        "labels."
    )
    key = f"practice_{reviewer}_{left[0]}_{st.session_state.get('visit', 0)}"
    if st.session_state.get("practice_of") != key:
        st.session_state.practice_view = practice_view(left[0], reviewer)
        st.session_state.practice_of = key
    article_heading(st.container(), st.session_state.practice_view["article"])
    article_reader(st.session_state.practice_view, key=key, on_open=end_article)
    st.stop()
if seen in finished:
    show_feedback(seen, mine[seen])
if left:
    st.markdown(f"Done: {len(finished):,} of {count_of(len(order), 'article')} of the round.")
    st.button("Next article" if finished else "Begin", type="primary", on_click=go_on, icon=":material/school:")
else:
    own_score(reviewer, mine)
if may(Right.QUEUE):
    everybody(given)
