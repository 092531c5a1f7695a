"""The hits: how many, each with its words marked, and the pages of them."""

from typing import Any

import streamlit as st

from annotate.search.highlights import pieces
from annotate.search.queries import BadQuery
from annotate.search.search import DEEPEST, Found
from annotate.search.shown import Shown, ShownSentence
from pages.parts.frame.templates import render
from pages.parts.frame.text import shown

ROWS = 20
PAGE = "results_page"


def bad_query(error: BadQuery, typed: str) -> None:
    """Says why a search cannot be understood, and where."""
    reason = str(error)
    st.error(shown(reason[:1].upper() + reason[1:]), icon=":material/error:")
    start, end = error.place
    if end and typed[start:end]:
        st.html(render("search_place.html.j2", before=typed[:start], wrong=typed[start:end], after=typed[end:]))


def counted(found: Found, *, sentences: bool, seconds: float) -> None:
    """How many were found, and in what time."""
    what = "sentence" if sentences else "article"
    number = f"{found.count:,} {what}{'' if found.count == 1 else 's'}"
    if not found.count:
        st.info(
            "Nothing found. Try fewer words, the beginning of a word with * (mutat*), or other filters.",
            icon=":material/search_off:",
        )
    elif found.loosened:
        st.caption(f"No {what} holds all of these words. {number} hold some of them, the best first.")
    else:
        st.caption(f"{number} · {1000 * seconds:,.0f} ms")


def hits(found: list[Shown]) -> None:
    """The hits; a click on one opens it in Review, at its sentence."""
    st.html(render("search_hits.html.j2", hits=[_as_values(hit) for hit in found]))


def page_chosen(asked: object) -> int:
    """Which page of the hits is wanted, from 0; the first one once something else is asked."""
    if st.session_state.get("results_of") != asked:
        st.session_state["results_of"] = asked
        st.session_state[PAGE] = 1
    return int(st.session_state.get(PAGE, 1)) - 1


def turn_pages(count: int) -> None:
    """The buttons that turn the pages of `count` hits."""
    pages = -(-min(count, DEEPEST) // ROWS)
    if pages > 1:
        st.pagination(pages, key=PAGE)
    if count > DEEPEST:
        st.caption(f"The first {DEEPEST:,} can be looked at: ask for more words to see others.")


def _as_values(hit: Shown) -> dict[str, Any]:
    told = (hit.journal, hit.year, hit.key.replace("pmid:", "PMID ").replace("pmcid:", ""))
    first = hit.sentences[0].position if len(hit.sentences) == 1 else None
    return {
        "address": address(hit.article_id, first),
        "title": pieces(hit.title, hit.title_marked),
        "told": " · ".join(str(part) for part in told if part),
        "sentences": [_sentence(hit.article_id, each) for each in hit.sentences],
    }


def _sentence(article_id: int, sentence: ShownSentence) -> dict[str, Any]:
    return {
        "pieces": pieces(sentence.text, sentence.marked),
        "address": address(article_id, sentence.position),
        "section": sentence.section,
        "number": sentence.position + 1,
    }


def address(article_id: int, position: int | None = None) -> str:
    """Where Review opens an article, at a sentence."""
    return f"/review?article={article_id}" + ("" if position is None else f"&sentence={position}")
