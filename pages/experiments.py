"""Experiments: start one of the shipped grids on the stored labels, and compare the results."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from annotate.experiments.experiments import EXPERIMENT
from pages.parts.experiments.experiment_view import chart, comparison
from pages.parts.experiments.study_page import Form, study_page
from pages.parts.frame.page import open_page
from pages.parts.frame.text import shown

NAMED_ROWS = 6

open_page()


def payload(spec: dict[str, Any]) -> dict[str, Any]:
    """The job of this spec, with what the form says."""
    return {"spec": spec, "limit": st.session_state.articles}


def description(names: Sequence[str]) -> str:
    """What an experiment with rows of these names does."""
    more = [f"and {len(names) - NAMED_ROWS} more"] if len(names) > NAMED_ROWS else []
    return shown(f"rows: {'; '.join([*names[:NAMED_ROWS], *more])}. ") + (
        "Each trains on the train articles and ranks the test articles; no version is made."
    )


limit = {"label": "Articles a split", "placeholder": "all", "help": "Fewer for a quick try."}
form = Form(first="presets", seeds=(20, 3), articles=limit, payload=payload, description=description)
study_page(EXPERIMENT, form, chart, "", after=comparison)
