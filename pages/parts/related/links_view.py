"""The links of an article in tables: what it cites, what cites it, what shares references with it."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from annotate.articles.citations import address_of
from annotate.project.rights import Right
from annotate.related.links import Cited, Linked, Links
from pages.parts.articles.importing import fetch
from pages.parts.frame.page import may
from pages.parts.frame.rows import words_and_action
from pages.parts.shared.tables import Link, text_table

FETCHED_AT_ONCE = 200
# The tabs, and what each says where it lists nothing.
NOTHING = {
    "Cites": "No reference list came with it.",
    "Cited by": "No stored article cites it.",
    "Shares references": "No stored article shares a reference with it.",
}
HEADS = {"id": "Identifier", "where": "Section that cites", "sentence": "Sentence that cites"}


def links_view(links: Links) -> None:
    """Shows the links in three tables, and imports with one click the cited articles that are not here."""
    missing = links.missing[:FETCHED_AT_ONCE]
    here = sum(each.article_id is not None for each in links.cites)
    text, action = words_and_action()
    text.markdown(
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
        )
    lists: Sequence[Sequence[Cited | Linked]] = (links.cites, links.cited_by, links.sharing)
    for tab, rows, (name, nothing) in zip(st.tabs(list(NOTHING)), lists, NOTHING.items(), strict=True):
        if rows:
            text_table([_row(each) for each in rows], name, place=tab, heads=HEADS)
        else:
            tab.caption(nothing)


def _row(each: Cited | Linked) -> dict[str, Any]:
    row = {"review": f"/review?article={each.article_id}" if each.article_id is not None else ""}
    if isinstance(each, Linked):
        return row | {"title": each.title, "year": str(each.year or ""), "shared references": each.shared or None}
    words = ", ".join(each.identifiers)
    address = next(filter(None, map(address_of, each.identifiers)), "")
    return row | {
        "reference": each.title or "–",
        "id": Link(words, address) if address else words,
        "where": "; ".join(dict.fromkeys(place.section or "text" for place in each.sentences)),
        "sentence": " … ".join(place.text for place in each.sentences),
    }
