"""What runs beside the pages for as long as the app does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from annotate.auto_retrain import ticking


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Watches, in a thread, whether a training is to begin by itself; ends with the app."""
    with ticking():
        yield
