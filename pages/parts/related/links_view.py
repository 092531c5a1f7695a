"""The links of an article: what it cites, what cites it, and what shares references with it."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotate.project.rights import Right
from annotate.related.links import Cited, Linked, Links
from pages.parts.frame.page import may
from pages.parts.related.suggestion_list import import_works
from pages.parts.shared.tables import show_table

FETCHED_AT_ONCE = 200
FEW, HEIGHT = 5, 220  # longer tables are scrolled in, so that the suggestions stay on the screen; in pixels


def links_view(links: Links) -> None:
    """Shows the links in three tables, and imports with one click the cited articles that are not here."""
    missing = links.missing[:FETCHED_AT_ONCE]
    here = sum(each.article_id is not None for each in links.cites)
    told, action = st.columns([3, 1], vertical_alignment="center")
    told.markdown(
        f"Cites **{len(links.cites):,}** ({here:,} here) · cited by **{len(links.cited_by):,}** here · "
        f"**{len(links.sharing):,}** share references with it"
    )
    if missing:
        action.button(
            f"Import {len(missing):,} that are not here",
            key="import_missing",
            disabled=not may(Right.IMPORT),
            on_click=import_works,
            args=(missing,),
            width="stretch",
        )
    cites, cited_by, sharing = st.tabs(["Cites", "Cited by", "Shares references"])
    with cites:
        _cited(links.cites)
    with cited_by:
        _linked(links.cited_by, "No stored article cites it.")
    with sharing:
        _linked(links.sharing, "No stored article shares a reference with it.")


def _cited(cites: Sequence[Cited]) -> None:
    if not cites:
        st.caption("No reference list came with it.")
        return
    _table(
        [
            {
                "open": f"/review?article={each.article_id}" if each.article_id is not None else "",
                "title": each.title or "–",
                "id": ", ".join(each.identifiers),
                "where": "; ".join(dict.fromkeys(place.section or "text" for place in each.sentences)),
                "sentence": " … ".join(place.text for place in each.sentences),
            }
            for each in cites
        ],
        {
            "id": st.column_config.TextColumn("Identifier", width=130),
            "where": st.column_config.TextColumn("Section that cites", width=140),
            "sentence": st.column_config.TextColumn("Sentence that cites", width="large"),
        },
    )


def _linked(rows: Sequence[Linked], nothing: str) -> None:
    if not rows:
        st.caption(nothing)
        return
    _table(
        [
            {
                "open": f"/review?article={each.article_id}",
                "title": each.title,
                "year": each.year,
                "shared": each.shared or None,
            }
            for each in rows
        ],
        {
            "year": st.column_config.NumberColumn("Year", format="%d", width=60),
            "shared": st.column_config.NumberColumn("Shared references", width=130),
        },
    )


def _table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any]) -> None:
    """Rows with an address to open, a title, and further columns."""
    shared = {
        "open": st.column_config.LinkColumn("Open", display_text="Open", width=60),
        "title": st.column_config.TextColumn("Title", width="large"),
    }
    show_table(
        rows,
        width="stretch",
        height=HEIGHT if len(rows) > FEW else "auto",
        column_config={**shared, **columns},
    )
