"""What became of imports: the list of past ones, and the report on the rows of a table that was read."""

import streamlit as st

import db.jobs
from annotate.articles.import_report import past_imports
from annotate.gold.matching import Method
from annotate.project.home import look_up
from annotate.project.words import count_of
from pages.parts.frame.messages import message_of
from pages.parts.frame.page import link_to
from pages.parts.frame.text import local_time, shown
from pages.parts.shared.job_panel import latest_job
from pages.parts.shared.tables import show_table

SHOWN = 8
LIMIT, WATCHED = "imports_shown", "import_watched"
MOST_NAMES = 3


def import_that_ended() -> None:
    """How the import that this tab watched has ended, for the top of the page, and the way to what comes next."""
    job = latest_job("import")
    if job is None:
        return
    if job.state in db.jobs.ACTIVE:
        st.session_state[WATCHED] = job.id
    elif st.session_state.get(WATCHED) == job.id:
        one = look_up(past_imports, 1)[0]
        say, icon = (st.success, "check") if one.went_well else (st.warning, "warning")
        say(shown(f"The import has ended: {one.outcome}."), icon=f":material/{icon}:")
        link_to("review", "Review the next article")


def import_reports() -> None:
    """The newest imports, each behind a line; nothing before the first one."""
    limit = st.session_state.get(LIMIT, SHOWN)
    found = look_up(past_imports, limit + 1)
    if not found:
        return
    st.subheader("Imports so far")
    link_to("find", "Screen the articles by title and abstract", find_view="Screen")
    for number, one in enumerate(found[:limit]):
        few, more = ", ".join(one.files[:MOST_NAMES]), len(one.files) - MOST_NAMES
        few += f" and {more:,} more" if more > 0 else ""
        line = f"{local_time(one.at)} · {one.by or 'unknown'} · {few}: {one.outcome}"
        icon = ":material/check:" if one.went_well else ":material/error:"
        with st.expander(shown(line), icon=icon, expanded=not number and not one.went_well):
            st.caption(shown(f"{len(one.files):,} given: {', '.join(one.files)}" if one.files else "No files given."))
            for title, rows in (("Not imported", one.failures), ("Worth a look", one.warnings)):
                if rows:
                    st.markdown(f"**{title}: {len(rows):,}**")
                    show_table([{"File": source, "Reason": reason} for source, reason in rows])
    if len(found) > limit:
        st.button("Show older imports", on_click=st.session_state.update, args=({LIMIT: 4 * limit},))


def table_report() -> None:
    """Shows the report once, after the table was read. No green tick stands above entries that were left out."""
    if not (report := message_of("table_report")):
        return
    values = report.as_dict()
    unplaced, contradictions = values.pop("failures"), values.pop("contradictions", [])
    partly_read, warnings = values.pop("partly_read", 0), values.pop("warnings", [])
    counts = {name.replace("_", " "): value for name, value in values.items() if isinstance(value, int)}
    if "verdicts" in counts:
        counts["new verdicts"] = counts.pop("verdicts")  # what is here already is not stored twice
    parts = [
        count_of(value, name.removesuffix("s"), name) if name.endswith("s") else f"{value:,} {name}"
        for name, value in counts.items()
    ]
    methods = values.get("by_method", {})
    parts += [f"{count:,} matched {method}" for method, count in methods.items() if methods.keys() != {Method.EXACT}]
    text = shown(", ".join(parts))
    if unplaced:
        left_out = f"{count_of(len(unplaced), 'entry', 'entries')} left out, for the reasons below"
        st.warning(f"{text}; {left_out}.", icon=":material/warning:")
        rows = [{"Line": line, "Reason": reason} for line, reason in unplaced]
        show_table(rows)
    else:
        st.success(text, icon=":material/check:")
    if partly_read:
        st.info(
            f"{count_of(partly_read, 'reading')} in full came from a shorter text. The article has more sentences "
            "here, so it does not count as read in full.",
            icon=":material/info:",
        )
    if warnings:
        st.markdown(f"**Worth a look: {len(warnings):,}**")
        show_table([{"Line": line, "Reason": reason} for line, reason in warnings])
    if contradictions:
        times = count_of(len(contradictions), "time")
        st.warning(f"{times} two rows disagree about one sentence.", icon=":material/warning:")
        pairs = [{"Line": line, "And line": later, "What they say": words} for line, later, words in contradictions]
        show_table(pairs)
