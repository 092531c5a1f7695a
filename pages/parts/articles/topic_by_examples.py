"""A topic by examples on a page: a name, what counts, and sentences that count and that do not; no pattern."""

from typing import Any

import streamlit as st

import db.curation
from annotate.project.home import look_up
from annotate.review.judged_sentences import judged_sentences
from annotate.topics.by_examples import ByExamples, sentences_in, text_of, written_by_examples
from annotate.topics.file import Topic
from annotate.topics.project_topic import use_topic
from annotate.topics.schema import FEWEST_EXAMPLES
from db.values import Value
from pages.parts.articles.topic_form import FORMS, begun_with, keep, take_up
from pages.parts.frame.messages import keep_error, message_of, show_message
from pages.parts.frame.page import link_to
from pages.parts.frame.text import shown

LISTS = {"accepted": "count", "rejected": "do not count"}
JUDGED = {"accepted": Value.ACCEPT, "rejected": Value.REJECT}
USED = "topic_used"
HEIGHT = 150


def by_examples_form(now: Topic, by: str) -> None:
    """Draws the form, filled with the project's topic where that was made by it, and the way on once it is used."""
    show_message(USED, st.success, "check")
    has_articles = bool(look_up(db.curation.count_listed))
    if message_of(USED):
        way = ("review", "Review the next article") if has_articles else ("import_articles", "Import articles")
        link_to(*way)
    begun = begun_with(now)
    examples = written_by_examples(begun) or ByExamples()
    form = f"{FORMS}_{begun.sha256}_by_examples"
    kept: dict[str, Any] = {"persist_state": "page", "on_change": keep, "args": (begun,)}
    # Fields outside a form send what is written at once, and so the page can keep it while it draws all parts.
    name, names = st.columns([3, 2], vertical_alignment="bottom")
    name.text_input("Name", examples.name, max_chars=60, placeholder="Sleep", key=f"{form}_name", **kept)
    kinds = ", ".join(kind.title.lower() for kind in now.file.kinds)
    if kinds:
        with names:
            label = shown(f"Find names as now: {kinds}")
            st.checkbox(label, examples.kinds, key=f"{form}_kinds", **kept)
    st.text_area(
        "What counts, in two sentences",
        examples.about,
        max_chars=300,
        height=90,
        placeholder="A sentence counts where it says what lets people sleep. It is a result of the study itself.",
        key=f"{form}_about",
        **kept,
    )
    judged = look_up(judged_sentences, by)
    for column, (which, words) in zip(st.columns(2), LISTS.items(), strict=True):
        column.text_area(
            f"Five or more sentences that {words}, one a line",
            "\n".join(getattr(examples, which)),
            height=HEIGHT,
            key=f"{form}_{which}",
            help=f"{FEWEST_EXAMPLES} are enough to begin with.",
            **kept,
        )
        column.button(
            f"Add sentences that I {which}",
            icon=":material/add:",
            key=f"{form}_add_{which}",
            disabled=not judged[JUDGED[which]],
            on_click=_add,
            args=(form, which, judged[JUDGED[which]], begun),
        )
    st.button("Use this topic", type="primary", on_click=_use, args=(now, by, form))


def _use(now: Topic, by: str, form: str) -> None:
    written = {field: st.session_state[f"{form}_{field}"] for field in ("name", "about", *LISTS)}
    lists = {which: sentences_in(written[which]) for which in LISTS}
    given = ByExamples(written["name"], written["about"], **lists, kinds=st.session_state.get(f"{form}_kinds", False))
    with keep_error("topic_error"):
        if use_topic(text_of(given, now), by=by, source=given.name):
            comes = "Keyline proposes its sentences." if take_up() else "Import articles next."
            st.session_state[USED] = f"{given.name} is the topic now. {comes}"
        else:
            st.session_state[USED] = f"{given.name} is the topic already."


def _add(form: str, which: str, judged: list[str], begun: Topic) -> None:
    """Adds to the text the judged sentences that are not there yet."""
    keep(begun)
    field = f"{form}_{which}"
    there = sentences_in(st.session_state[field])
    st.session_state[field] = "\n".join(dict.fromkeys((*there, *(" ".join(text.split()) for text in judged))))
