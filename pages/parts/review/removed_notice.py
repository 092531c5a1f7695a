"""What stands in the place of an article that was removed from the project: who did so, why, and the way back."""

import streamlit as st

import db.curation.removals
from annotate.curation.removal import take_back
from annotate.project.home import read
from annotate.project.rights import Right
from pages.parts.frame.page import link_to, may
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time


def _take_back(article_id: int) -> None:
    take_back([article_id])


def stop_if_removed(article_id: int) -> None:
    """Ends the page with that notice where the article was removed."""
    with read() as session:
        removal = db.curation.removals.removals_of(session, [article_id]).get(article_id)
    if removal is None:
        return
    why = f": {removal.reason}" if removal.reason else "."
    st.warning(shown(f"{removal.done_by} removed this article from the project{why}"), icon=":material/delete:")
    st.caption(f"At {local_time(removal.done_at)}. Its verdicts and comments are kept and come back with it.")
    if may(Right.REMOVE):
        st.button("Take back", icon=":material/undo:", on_click=_take_back, args=(article_id,))
    link_to("articles", "Articles", icon=":material/library_books:")
    st.stop()
