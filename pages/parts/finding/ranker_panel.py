"""What else is trained than the encoder and has no page of its own: the stages of Find, and Related's map."""

import streamlit as st

from annotate.finding.rankers.ranker_versions import measures_of
from annotate.registry.kinds import FOR_FINDING, KINDS
from annotate.registry.versions import listed
from db.tables import ModelVersion
from pages.parts.shared.trained_versions import versions_panel


def ranker_panel() -> None:
    """A fold for each stage that has a version; nothing where none was trained."""
    for kind in FOR_FINDING:
        if listed(kind):
            with st.expander(f"What {KINDS[kind].serves}: it {KINDS[kind].title}"):
                versions_panel(kind, _columns)


def _columns(version: ModelVersion) -> dict[str, str]:
    return {"measures": measures_of(version.metrics), "by": version.created_by}
