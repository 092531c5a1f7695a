"""What runs beside the pages for as long as the app does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from annotate import logs
from annotate.acting import auth
from annotate.auto_retrain import ticking
from annotate.operating import operating
from annotate.release import release
from annotate.supervisor import supervising


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Watches, in threads, whether a training or a backup is to begin by itself, and over the jobs; ends
    with the app.
    """
    logs.event("app started", release=release(), login=str(auth()))
    with ticking(), operating(), supervising():
        yield
    logs.event("app stopped")
