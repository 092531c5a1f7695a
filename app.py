"""The web application: the pages, the routes beside them and what runs on its own. Run by `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from pages.parts.lifespan import lifespan
from pages.parts.routes import ROUTES

# The script that declares the pages lies apart from pages/, so that Streamlit does not take that folder for pages
# of its own and run one without this frame after a restart.
app = st.App(Path(__file__).parent / "pages" / "parts" / "frame.py", routes=ROUTES, lifespan=lifespan)
