"""Whether versions are measured again by themselves: one switch, for those who may evaluate."""

import streamlit as st

from annotate.evaluation.measuring_again import MeasuringSettings
from annotate.project.acting import current_actor
from annotate.project.home import read
from annotate.project.stored_settings import change_settings, settings_now


def by_itself_switch() -> None:
    """The switch, stored at once under the name of the person who turns it."""
    with read() as session:
        by_itself = settings_now(session, MeasuringSettings).by_itself
    st.toggle(
        "Measure again by itself",
        by_itself,
        key=f"measure_by_itself_{by_itself}",  # another choice is a fresh switch
        on_change=_choose,
        args=(not by_itself,),
        help="Once labels have changed, versions are measured again on the test articles, while no person is at work "
        "and no job runs, at most once an hour.",
    )


def _choose(by_itself: bool) -> None:
    change_settings(current_actor().name, MeasuringSettings(by_itself=by_itself))
