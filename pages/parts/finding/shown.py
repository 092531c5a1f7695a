"""What Find adds to the pages; on Retrain, the versions of its stages and of Related's map."""

import streamlit as st

from annotate.finding.rankers.ranker_versions import measures_of
from annotate.finding.search_vectors import warming
from annotate.project.rights import Right
from annotate.registry.kinds import FOR_FINDING, KINDS
from annotate.registry.versions import listed
from pages.parts.finding.found_list import FOUND_ROUTE
from pages.parts.frame.shown import Entry, Shown
from pages.parts.shared.trained_versions import versions_panel


def ranker_panel() -> None:
    """A fold for each stage that has a version; nothing where none was trained."""
    for kind in FOR_FINDING:
        if listed(kind):
            with st.expander(f"What {KINDS[kind].serves}: it {KINDS[kind].title}"):
                versions_panel(kind, lambda one: {"measures": measures_of(one.metrics), "by": one.created_by})


SHOWN = Shown(
    entries={"find": Entry("Find", "Find", ":material/travel_explore:", Right.REVIEW)},
    routes=(FOUND_ROUTE,),
    running=(warming,),
    retrain=(ranker_panel,),
)
