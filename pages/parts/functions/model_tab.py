"""The versions of the model that tells what sentences do: their figures, and which of them is in use."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from annotate.functions.versions import compared, promote
from annotate.project.rights import Right
from model.functions.role_model import BadRoleModel
from pages.parts.frame.page import may
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time
from pages.parts.shared.job_panel import start_job
from pages.parts.shared.tables import show_table

MEASURES = {"accuracy": "roles right", "p_at_1": "nearest does the same", "triplet_accuracy": "of triplets right"}


def figures_of(evaluations: Mapping[str, Mapping[str, Any]]) -> str:
    """The figures of a version in words, by file."""
    return "; ".join(
        f"{name}: " + ", ".join(f"{words} {100 * own[key]:.1f} %" for key, words in MEASURES.items() if key in own)
        for name, own in evaluations.items()
    )


def _promote(by: str) -> None:
    try:
        promote(by, st.session_state.function_version)
    except (BadRoleModel, LookupError) as error:
        st.session_state.function_error = str(error)
        return
    start_job("functions", {})


def model_tab(by: str) -> None:
    """Shows the versions; whoever may promote chooses the one that reads roles."""
    versions = compared()
    if not versions:
        st.info("Nobody has trained a model yet: it is learnt when the first articles are read.")
        return
    rows = [
        {
            "version": one["version"],
            "in use": "yes" if one["in_use"] else "",
            "trained": local_time(one["trained_at"]),
            "reads by": f"words and an encoder ({one['encoder']})" if one["encoder"] else "words",
            "abstracts": one["articles"],
            "figures": figures_of(one["evaluations"]) or "not measured yet: functions evaluate FILE",
        }
        for one in reversed(versions)
    ]
    show_table(rows, width="stretch")
    others = [one["version"] for one in reversed(versions) if not one["in_use"]]
    if others and may(Right.PROMOTE):
        st.selectbox("Another version", others, key="function_version")
        st.caption(shown("It reads all articles anew, and rankings follow. It is noted who chose it."))
        st.button("Let it read roles", on_click=_promote, args=(by,))
