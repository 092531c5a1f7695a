"""Europe PMC on the page: the query as it is sent, what it finds, ranked, and what of it to import."""

import streamlit as st

from annotate.finding.asking.answers import all_ranked
from annotate.finding.asking.saved import Asked, Kept, judged
from annotate.finding.asking.standing import standings
from annotate.finding.find import Found
from annotate.finding.outside.query_text import query_of
from annotate.finding.outside.service import NoAnswer, Outside, search_outside
from annotate.finding.question import Question
from annotate.project.home import look_up
from annotate.project.rights import Right
from annotate.search.entries import field_names
from pages.parts.articles.importing import fetch
from pages.parts.finding.found_list import found_list
from pages.parts.frame.messages import keep_error, show_message
from pages.parts.frame.page import may
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import job_panel
from pages.parts.shared.tables import show_table

SHOWN = 100


def outside_view(kept: Kept | None, reviewer: str, *, asked: bool) -> None:
    """The answer to the question, sent where it was `asked` just now; its query, and the import of chosen articles."""
    job_panel(["import"], ended=False)
    st.caption("Find asks Europe PMC, and imports only what you choose.")
    state, number = st.session_state, kept.id if kept else None
    by_hand = state.setdefault("find_queries", {})  # by question; fields that are not drawn are forgotten
    if asked:
        by_hand.pop(number, None)
    if asked or state.get("find_query_of") != number:  # what was found for another question is not judged for this
        state.find_query_of = number
        state.pop("find_outside_answer", None)
        state.pop("find_query", None)
    if "find_query" not in state:
        state.find_query = by_hand.get(number, query_of(kept.asked.question, look_up(field_names)) if kept else "")
    if asked:
        with st.spinner("Asking Europe PMC …", show_time=True):
            _search(kept)
    with st.expander("Edit the query"):
        st.text_area("Query", key="find_query", height=100, max_chars=20_000)
        by_hand[number] = state.find_query
        st.caption(
            "Write it in Europe PMC's language, use PubMed's tags such as [ti] and [dp], or paste PMIDs or DOIs. "
            "Find writes it again."
        )
        st.button("Send it", on_click=_search, args=(kept,), key="find_outside")
    show_message("find_outside_error", icon="cloud_off")
    if answer := state.get("find_outside_answer"):
        outside, found = answer
        _answer(outside, found, kept, reviewer)


def _search(kept: Kept | None) -> None:
    text = st.session_state.find_query
    st.session_state.pop("find_outside_answer", None)
    with keep_error("find_outside_error", errors=(ValueError, NoAnswer)):
        outside = search_outside(text)
        asked = kept.asked if kept else Asked(Question(text), ())
        st.session_state.find_outside_answer = (outside, all_ranked(asked, outside.documents))
        st.session_state.find_visit = st.session_state.get("find_visit", 0) + 1


def _answer(outside: Outside, found: list[Found], kept: Kept | None, reviewer: str) -> None:
    for problem in outside.problems:
        st.warning(shown(problem))
    number = len(outside.documents)
    if not number:
        st.info(
            "Europe PMC finds nothing. Remove a word or a filter, or add other names.", icon=":material/search_off:"
        )
        return
    here = len(outside.here)
    st.markdown(f"**{outside.total:,} found**, the first {number:,} ranked here · {here:,} of them are in the project")
    if may(Right.IMPORT):
        _choosing(outside, found)
    if kept:
        known, judgements = look_up(standings, reviewer), look_up(judged, kept.id, reviewer)
        found_list(f"outside_{kept.id}", reviewer, kept, known, judgements, found[:SHOWN])


def _choosing(outside: Outside, found: list[Found]) -> None:
    """What to import: by title, all at first that are not here."""
    new = [each for each in found if each.key in outside.importable]
    if not new:
        st.caption("All of them are in the project, or have no PMID or PMCID.")
        return
    visit = st.session_state.get("find_visit", 0)  # rows that were chosen of another list are none of this one
    names = {outside.importable[each.key]: each.document.title for each in new}
    picked = show_table(
        [{"title": title, "id": identifier} for identifier, title in names.items()],
        height=180,
        key=f"find_picked_{visit}",
        on_select="rerun",
        selection_mode="multi-row",
    )
    chosen = [list(names)[row] for row in picked.selection.rows]
    left, right = st.columns(2)
    left.button(
        f"Import {len(chosen):,} chosen",
        disabled=not chosen,
        on_click=fetch,
        args=(chosen,),
        key="find_import",
    )
    right.button(f"Import all {len(names):,} new", on_click=fetch, args=(list(names),), key="find_import_all")
