"""The links of an article in tables: what it cites, what cites it, what shares references with it."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotate.project.rights import Right
from annotate.related.links import Cited, Linked, Links
from pages.parts.articles.importing import fetch
from pages.parts.frame.page import may
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
            on_click=fetch,
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
        heads={"id": "Identifier", "where": "Section that cites", "sentence": "Sentence that cites"},
        widths={"id": 130, "where": 140, "sentence": "large"},
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
        heads={"shared": "Shared references"},
        widths={"shared": 130},
    )


def _table(rows: Sequence[Mapping[str, Any]], heads: Mapping[str, str], widths: Mapping[str, int | str]) -> None:
    """Rows with an address to open, a title, and further columns."""
    config = {
        "open": st.column_config.LinkColumn(display_text="Open", width=60),
        "year": st.column_config.NumberColumn(format="%d", width=60),
    }
    height = HEIGHT if len(rows) > FEW else "auto"
    show_table(rows, height=height, heads=heads, widths={"title": "large", **widths}, column_config=config)
