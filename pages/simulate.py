"""Simulate: replay the stored labels under query strategies, and see what each would have saved."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from annotate.experiments.simulations import SIMULATION
from model.active_learning.acquisition import STRATEGIES, strategy_label
from pages.parts.experiments.simulation_view import NOTE, curves
from pages.parts.experiments.study_page import Form, study_page
from pages.parts.frame.page import open_page

open_page()


def payload(spec: dict[str, Any]) -> dict[str, Any]:
    """The job of this spec, with what the form says."""
    state = st.session_state
    number = {"articles": state.articles} if state.articles else {}
    return {"spec": spec | {"strategies": state.strategies or [*STRATEGIES]} | number}


def description(_: Sequence[str]) -> str:
    """What a simulation does."""
    return (
        "lines. In each, articles with labels are handed out as if unread: your labels answer, and the ranking learns. "
        "No verdict is stored."
    )


def more() -> None:
    """The choice of strategies."""
    names = list(STRATEGIES)
    st.multiselect("Strategies", names, names, format_func=strategy_label, key="strategies")


number = {"label": "Articles read", "placeholder": "as planned"}
form = Form(first="strategies", seeds=(50, 5), articles=number, payload=payload, description=description, more=more)
study_page(SIMULATION, form, curves, NOTE)
