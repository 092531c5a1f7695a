"""What runs beside the pages for as long as the app does."""

import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from annotate import logs
from annotate.acting import auth
from annotate.auto_retrain import ticking
from annotate.operating import operating
from annotate.release import release
from annotate.supervisor import supervising

# Saving a verdict gives the interpreter up some thirty times, and with others drawing pages or ranking gets it back
# only after this long each time: with Python's 5 ms a save among thirty busy tabs took seconds.
SWITCH_SECONDS = 0.0005


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Watches, in threads, whether a training or a backup is to begin by itself, and over the jobs; ends
    with the app.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what is imported by now stays: collections need not look at it, 0.1 s each
    logs.event("app started", release=release(), login=str(auth()))
    with ticking(), operating(), supervising():
        yield
    logs.event("app stopped")
