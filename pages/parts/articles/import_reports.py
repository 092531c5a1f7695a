"""The list of past imports: when, by whom, which files, what became of them, and why anything was left out."""

from collections.abc import Sequence

import streamlit as st

from annotate.articles.past_imports import PastImport, past_imports
from annotate.project.home import read
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time
from pages.parts.shared.tables import show_table

SHOWN = 8
LIMIT = "imports_shown"
MOST_NAMES = 3


def import_reports() -> None:
    """The newest imports, each behind a line; nothing before the first one."""
    limit = st.session_state.get(LIMIT, SHOWN)
    with read() as session:
        found = past_imports(session, limit + 1)
    if not found:
        return
    st.subheader("Imports so far")
    for number, one in enumerate(found[:limit]):
        _report(one, newest=not number)
    if len(found) > limit:
        st.button("Show older imports", on_click=_more, args=(limit,))


def _more(limit: int) -> None:
    st.session_state[LIMIT] = 4 * limit


def _report(one: PastImport, *, newest: bool) -> None:
    icon = ":material/check:" if one.went_well else ":material/error:"
    line = f"{local_time(one.at)} · {one.by or 'unknown'} · {_few(one.files)}: {one.outcome}"
    with st.expander(shown(line), icon=icon, expanded=newest and not one.went_well):
        st.caption(shown(f"{len(one.files):,} given: {', '.join(one.files)}" if one.files else "No files given."))
        _reasons("Not imported", one.failures)
        _reasons("Worth a look", one.warnings)


def _few(files: Sequence[str]) -> str:
    more = f" and {len(files) - MOST_NAMES:,} more" if len(files) > MOST_NAMES else ""
    return ", ".join(files[:MOST_NAMES]) + more


def _reasons(title: str, rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        st.markdown(f"**{title}: {len(rows):,}**")
        table = [{"File": source, "Reason": reason} for source, reason in rows]
        show_table(table, width="stretch")
