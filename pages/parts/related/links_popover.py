"""The links of the article in Review, behind a button: the text next to them does not move."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.project.home import read
from annotate.related.links import Cited, Linked, links_of
from pages.parts.frame.text import shown

SHOWN = 8


def links_popover(place: DeltaGenerator, article_id: int) -> None:
    """Draws the button, and behind it what is here of what the article cites, what cites it, and the way to more."""
    with read() as session:
        links = links_of(session, article_id)
    with place.popover("Related", icon=":material/hub:"):
        st.caption(f"Cites {len(links.cites):,} · cited by {len(links.cited_by):,} here")
        _titles("Cites, and here", [each for each in links.cites if each.article_id is not None])
        _titles("Cited by", links.cited_by)
        _titles("Shares references", links.sharing)
        st.link_button("All links and suggestions", f"related?article={article_id}", width="stretch")


def _titles(heading: str, rows: Sequence[Cited | Linked]) -> None:
    if rows:
        st.markdown(f"**{heading}**")
    for each in rows[:SHOWN]:
        shared = f" ({each.shared} shared)" if isinstance(each, Linked) and each.shared else ""
        st.markdown(f"[{shown(each.title)}](review?article={each.article_id}){shared}")
    if len(rows) > SHOWN:
        st.caption(f"and {len(rows) - SHOWN:,} more")
