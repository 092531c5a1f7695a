"""What Find adds to the pages; on Retrain, the versions of its stages and of Related's map."""

from contextlib import AbstractContextManager

import streamlit as st

from annotate.finding.rankers.ranker_versions import measures_of
from annotate.finding.search_vectors import warm_up
from annotate.jobs.repeating import quiet_seconds, repeating
from annotate.project.rights import Right
from annotate.registry.kinds import FOR_FINDING, KINDS
from annotate.registry.versions import listed
from pages.parts.finding.found_list import FOUND_ROUTE
from pages.parts.finding.question_form import read_names
from pages.parts.frame.shown import Entry, Shown
from pages.parts.shared.trained_versions import versions_panel

LOOK_SECONDS = 2
QUIET_SECONDS = 3  # of nobody at work: reading takes a processor for seconds, and pages go first


def warming() -> AbstractContextManager[None]:
    """Reads the encoder and the vocabularies ahead of the first question, after some seconds without a click."""

    def look() -> None:
        if quiet_seconds() >= QUIET_SECONDS and warm_up():
            read_names()

    return repeating("find", LOOK_SECONDS, look)


def ranker_panel() -> None:
    """A fold for each stage that has a version; nothing where none was trained."""
    for kind in FOR_FINDING:
        if listed(kind):
            with st.expander(f"What {KINDS[kind].serves}: it {KINDS[kind].title}"):
                versions_panel(kind, lambda one: {"measures": measures_of(one.metrics), "by": one.created_by})


SHOWN = Shown(
    entries={"find": Entry("Find", "Find", ":material/travel_explore:", Right.REVIEW)},
    routes=(FOUND_ROUTE,),
    api="pages.parts.finding.api",
    running=(warming,),
    retrain=(ranker_panel,),
)
