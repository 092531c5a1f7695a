"""The versions of the model that tells what sentences do: their figures, and which of them is in use."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from annotate.roles.model_files import compared
from db.tables import ModelVersion
from db.values import Kind
from pages.parts.shared.trained_versions import versions_panel

MEASURES = {"accuracy": "roles right", "p_at_1": "nearest does the same", "triplet_accuracy": "of triplets right"}


def figures_of(evaluations: Mapping[str, Mapping[str, Any]]) -> str:
    """The figures of a version in words, by file."""
    return "; ".join(
        f"{name}: " + ", ".join(f"{words} {100 * own[key]:.1f} %" for key, words in MEASURES.items() if key in own)
        for name, own in evaluations.items()
    )


def _columns(version: ModelVersion) -> dict[str, Any]:
    encoder = version.trained_on.get("encoder")
    return {
        "reads by": f"words and an encoder ({encoder})" if encoder else "words",
        "abstracts": version.trained_on.get("articles", 0),
        "figures": figures_of(version.metrics) or "not measured yet: functions evaluate FILE",
    }


def model_tab() -> None:
    """Shows the versions; a person who may promote chooses the one that reads roles."""
    if not compared():
        st.info("No model has been trained yet: it is learnt when the first articles are read.")
        return
    versions_panel(Kind.ROLES, _columns)
    st.caption("Another version reads all articles again, and rankings follow.")
