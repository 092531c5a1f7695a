"""The report on the rows of a table that was read: figures, then omissions and contradictions."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from annotate.project.words import count_of
from pages.parts.frame.text import shown
from pages.parts.frame.told import told
from pages.parts.shared.tables import show_table


def table_report() -> None:
    """Shows the report once, after the table was read. No green tick stands above entries that were left out."""
    if not (report := told("table_report")):
        return
    values = report.as_dict()
    unplaced, contradictions = values.pop("failures"), values.pop("contradictions", [])
    text = shown(_counted(values))
    if unplaced:
        left_out = f"{count_of(len(unplaced), 'entry', 'entries')} left out, for the reasons below"
        st.warning(f"{text}; {left_out}.", icon=":material/warning:")
        rows = [{"Line": line, "Reason": reason} for line, reason in unplaced]
        show_table(rows, width="stretch")
    else:
        st.success(text, icon=":material/check:")
    if contradictions:
        times = count_of(len(contradictions), "time")
        st.warning(f"{times} two rows say different things of one sentence.", icon=":material/warning:")
        pairs = [{"Line": line, "And line": later, "What they say": words} for line, later, words in contradictions]
        show_table(pairs, width="stretch")


def _counted(values: Mapping[str, Any]) -> str:
    parts = [_of(value, name.replace("_", " ")) for name, value in values.items() if isinstance(value, int)]
    parts += [f"{count:,} matched {method}" for method, count in values.get("by_method", {}).items()]
    return ", ".join(parts)


def _of(value: int, name: str) -> str:
    return count_of(value, name.removesuffix("s"), name) if name.endswith("s") else f"{value:,} {name}"
