"""Suggested works, each with its reasons and actions: open it, import it, or say that it is not related."""

import uuid

import streamlit as st

from annotate.project.rights import Right
from annotate.related.suggest import Suggestion, Suggestions
from annotate.related.verdicts import say
from pages.parts.articles.importing import fetch
from pages.parts.frame.page import may
from pages.parts.frame.templates import render
from pages.parts.frame.text import shown


def suggestion_list(found: Suggestions, by: str) -> None:
    """Shows the suggestions, best first."""
    for note in found.without:
        st.caption(shown(note))
    if not found.found:
        st.info("No similar article is stored. Import more articles.", icon=":material/search_off:")
    imports = may(Right.IMPORT)
    for one in found.found:
        _row(one, found.profile.key, by, imports)


def _row(one: Suggestion, asked: str, by: str, imports: bool) -> None:
    text, action, verdict = st.columns([8, 1.5, 1.6], vertical_alignment="top")
    address = f"review?article={one.article_id}" if one.article_id is not None else ""
    told = [str(one.year) if one.year else "", "" if address else "not in the library", one.key]
    text.html(
        render(
            "suggestion.html.j2",
            title=one.title or one.key,
            address=address,
            told=" · ".join(filter(None, told)),
            reasons=one.reasons,
            pair=one.pair,
        )
    )
    if one.importable:
        action.button(
            "Import",
            key=f"import_{one.key}",
            disabled=not imports,
            on_click=fetch,
            args=([one.importable],),
            width="stretch",
        )
    elif one.article_id is not None:
        action.link_button("Related", f"articles?article={one.article_id}&panel=related", width="stretch")
    verdict.button(
        "Not related",
        key=f"not_{asked}_{one.key}",
        on_click=_say,
        args=(by, asked, one.key, False),
        width="stretch",
    )


def _say(by: str, asked: str, work: str, related: bool | None) -> None:
    say(by, asked, work, related, uuid.uuid4().hex)


def not_related_list(asked: str, titles: dict[str, str], by: str) -> None:
    """The works called not related, each with a button to take that back."""
    if not titles:
        return
    with st.expander(f"Marked as not related: {len(titles):,}"):
        for key, title in titles.items():
            text, action = st.columns([6, 1], vertical_alignment="center")
            text.markdown(shown(title))
            action.button("Take back", key=f"back_{asked}_{key}", on_click=_say, args=(by, asked, key, None))
