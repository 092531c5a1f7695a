"""What runs next to the pages for as long as the app does."""

import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

import streamlit as st

from annotate.evaluation import measuring_again
from annotate.jobs.lifecycle import look_after
from annotate.jobs.repeating import repeating
from annotate.operations.regular_duties import operating, warm_up
from annotate.project import logs
from annotate.project.acting import auth
from annotate.project.release import release
from annotate.retraining import auto_retrain
from annotate.screening import refit
from pages.parts.frame.shown import shown_parts

TICK_SECONDS = 60
LOOK_SECONDS = 5  # at the jobs
TRIAGE_SECONDS = 30


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Runs threads that end with the app. They watch over the jobs, and whether a training, triage, an evaluation or a
    backup is to begin by itself. Optional parts add theirs.
    """
    logs.event("app started", release=release(), login=str(auth()))
    threading.Thread(target=warm_up, name="warming", daemon=True).start()
    core = (
        repeating("auto-retrain", TICK_SECONDS, auto_retrain.tick),
        repeating("measuring", TICK_SECONDS, measuring_again.tick),
        repeating("supervisor", LOOK_SECONDS, look_after),
        repeating("triage", TRIAGE_SECONDS, refit.tick),
        operating(TICK_SECONDS),
    )
    with ExitStack() as running:
        for duty in (*core, *(begin() for part in shown_parts() for begin in part.running)):
            running.enter_context(duty)
        yield
    logs.event("app stopped")
