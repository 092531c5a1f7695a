"""Find: one box for words and names, articles ranked and judged by key; screening, saved searches and Europe PMC."""

import streamlit as st

import db.curation
from annotate.finding.asking.saved import ALL_ARTICLES, Kept, NotYours, keep, kept
from annotate.finding.search_vectors import warm_up
from annotate.project.home import look_up
from annotate.project.words import count_of
from pages.parts.finding.index_notice import bring_up
from pages.parts.finding.outside_view import outside_view
from pages.parts.finding.question_form import ask, fill_form, open_question, question_form
from pages.parts.finding.results import results_view, saved_view, screening_view
from pages.parts.frame.page import link_to, number_in_address, open_page, require_annotator
from pages.parts.frame.text import shown

VIEWS = ("Find", "Screen", "Saved", "Europe PMC")

header = open_page()
reviewer = require_annotator()


def question_of_address() -> Kept | None:
    """The question of the address, where it is this person's; its fields are filled in when the tab first sees it.
    Another question is asked as their own, by the words in the address."""
    try:
        if st.session_state.pop("find_asking", False):
            _ask_now()
        if (asked := number_in_address("question")) is None:
            return _as_typed()
        found = look_up(kept, asked, reviewer)
        if found.by != reviewer:  # one that is shared: what is said of it is said for a question of one's own
            open_question(keep(reviewer, found.asked), found.asked)
            found = look_up(kept, int(st.query_params["question"]), reviewer)
    except NotYours as error:
        st.query_params.pop("question", None)
        if (found_again := _as_typed()) is None:
            st.warning(shown(f"{str(error).capitalize()}."), icon=":material/lock:")
        return found_again
    if st.session_state.get("find_filled") != (found.id, reviewer):
        st.session_state.find_filled = (found.id, reviewer)
        fill_form(found.asked)
    return found


def _as_typed() -> Kept | None:
    """The question of an address that says only what was typed."""
    if not (typed := st.query_params.pop("q", "")):
        return None
    st.session_state.find_text = typed
    _ask_now()
    return question_of_address() if "question" in st.query_params else None


def _ask_now() -> None:
    with st.spinner(f"Reading {count_of(articles, 'article')} …", show_time=True):
        ask(reviewer)


with header:
    view = st.segmented_control(
        "View",
        VIEWS,
        default=VIEWS[0],
        key="find_view",
        label_visibility="collapsed",
        required=True,
        bind="query-params",
    )
articles = look_up(db.curation.count_listed)
if articles:
    warm_up()
    bring_up()
asking = "find_asking" in st.session_state
question = question_of_address()
asked = asking and "find_error" not in st.session_state
if view == "Screen" and articles and question is None:
    open_question(keep(reviewer, ALL_ARTICLES), ALL_ARTICLES)
    question = question_of_address()
if view in ("Saved", "Screen"):
    st.session_state.pop("find_filled", None)  # Streamlit forgets fields that are not drawn
if view == "Saved":
    saved_view(reviewer)
    st.stop()
if view != "Screen":
    question_form()
if view == "Europe PMC":
    outside_view(question, reviewer, asked=asked)
elif not articles:
    st.info("There are no articles yet: import some, or look at Europe PMC.", icon=":material/inbox:")
    link_to("import_articles", "Import articles")
elif view == "Screen" and question:
    screening_view(question, reviewer)
elif question is None or question.asked == ALL_ARTICLES:
    st.caption(
        f"Type words and names, then Enter: Find ranks {count_of(articles, 'article')}. The ? tells what "
        "else you can type."
    )
else:
    results_view(question, reviewer)
