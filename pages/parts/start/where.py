"""The page Start: the next steps of the person who opens it, and what this project looks for."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitPageNotFoundError

from annotate.active_learning.queue import whats_next
from annotate.operations.overview import Overview, Step
from annotate.project.rights import Right
from annotate.topics.file import Topic
from annotate.topics.schema import Example
from pages.parts.frame.entries import entries
from pages.parts.frame.page import PAGES, link_to, may
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import sample_button
from pages.parts.shared.next_article import article_card, reviewed_ring

EXAMPLES = 2  # of each side


def show_steps(steps: Sequence[Step], now: Overview, name: str | None) -> None:
    """The card of the next step, with the article where that is a review; how far the project is; each further duty."""
    first, *others = steps
    place, ring = st.columns([5, 1]) if now.proposed else (st.container(), None)
    with place.container(border=True, key="next_step"):
        text, action = words_and_action()
        text.markdown(shown(first.why))
        _go_on(action, first, first=True)
        if not now.articles and may(Right.IMPORT):
            sample_button(action)
        if first.page == "review" and (coming := whats_next(name or "", 1)):
            article_card(text, coming[0], name or "")
    if ring:
        with ring:
            reviewed_ring(now.reviewed)
    with place:
        if now.sight.note:
            st.caption(now.sight.note)
        for step in others:
            text, action = words_and_action()
            text.markdown(shown(step.why))
            _go_on(action, step, first=False)


def _go_on(place: DeltaGenerator, step: Step, *, first: bool) -> None:
    """The button that leads to where a step is done; none to a page that the person may not open."""
    if not step.label or not may(entries()[step.page].right):
        return
    if place.button(
        step.label,
        type="primary" if first else "secondary",
        icon=entries()[step.page].icon,
        key=f"next_{step.page}",
    ):
        with suppress(StreamlitPageNotFoundError):  # where a page runs alone, without the frame around it
            st.switch_page(str(PAGES / f"{step.page}.py"))


def show_guideline(topic: Topic) -> None:
    """What the project looks for, the way to another topic, and a card each of sentences that count and that do not."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(shown(topic.name), width="content")
        link_to("topic", "Use another topic")
    st.markdown(shown(topic.file.about))
    examples = topic.file.examples
    counts, does_not = st.columns(2)
    _examples(counts, "Counts: accept", ":green[:material/check:]", examples.accepted)
    _examples(does_not, "Does not count: reject", ":red[:material/close:]", examples.rejected)


def _examples(place: DeltaGenerator, title: str, sign: str, examples: Sequence[Example]) -> None:
    if not examples:
        return
    with place.container(border=True, height="stretch"):
        st.markdown(f"**{title}**")
        for one in examples[:EXAMPLES]:
            why = f"  \n:small[:gray[{shown(one.why)}]]" if one.why else ""
            st.markdown(f"{sign} {shown(one.sentence)}{why}")
