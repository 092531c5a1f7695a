"""Saved searches on the page: what each finds that is new, and how to open it."""

from functools import partial

import streamlit as st

import db.articles
import db.finding.questions
from annotate.finding.asking.answers import answered
from annotate.finding.asking.saved import (
    FIRST,
    Kept,
    keep,
    mark_seen,
    new_since,
    ready_until,
    saved_searches,
    searched_until,
)
from annotate.project.home import read
from pages.parts.finding.question_form import fill_form, open_question
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time

TITLES = 5


def saved_view(reviewer: str) -> None:
    """The list of this person's searches and those that others share."""
    with read() as session:
        searches = saved_searches(session, reviewer)
        standing = db.finding.questions.last_article(session), searched_until(session)
    if not searches:
        st.info("No saved search yet: ask something, then save it below its results.", icon=":material/bookmark:")
        return
    for kept in searches:
        with st.container(border=True):
            _search(kept, reviewer, *standing)


def _search(kept: Kept, reviewer: str, last: int, through: int) -> None:
    is_mine = kept.by == reviewer
    text, seen, opened = st.columns([6, 1.5, 1], vertical_alignment="center")
    whose = "" if is_mine else f" · by {shown(kept.by)}"
    text.markdown(f"**{shown(kept.name)}**{whose}{' · shared' if is_mine and kept.shared else ''}")
    new, until = _new(kept, last, through) if is_mine else ([], 0)
    since = local_time(kept.seen_at)
    if is_mine:
        text.caption(shown(f"{len(new):,} new since {since}" if new else f"Nothing new since {since}"))
    if new:
        with read() as session:
            titles = db.articles.titles(session, new[:TITLES])
        text.markdown("\n".join(f"- {shown(titles[number])}" for number in new[:TITLES]))
        seen.button("Mark as seen", key=f"find_seen_{kept.id}", on_click=mark_seen, args=(reviewer, kept.id, until))
    opened.button("Open", key=f"find_open_{kept.id}", on_click=partial(_open, kept, reviewer), width="stretch")


def _new(kept: Kept, last: int, through: int) -> tuple[list[int], int]:
    """The new articles of a search, and the last that it looked through; asked once a tab until another article comes,
    or the index has taken more in."""
    if last <= kept.seen_until:
        return [], last
    known = st.session_state.setdefault("find_new", {})
    stored, until, found = known.get(kept.id, (0, 0, ()))
    if stored != last or until < through:
        until = min(last, ready_until())
        answer = answered(kept.asked)
        found = [each.article_id for each in answer.found(answer.order.keys[:FIRST])]
        known[kept.id] = (last, until, found)
    return new_since(kept, found), until


def _open(kept: Kept, reviewer: str) -> None:
    """Opens a saved question; another person's becomes a question of one's own, so that the judgements are one's
    own."""
    fill_form(kept.asked)
    open_question(kept.id if kept.by == reviewer else keep(reviewer, kept.asked))
    st.session_state.find_view = "Find"
