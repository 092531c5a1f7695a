"""The web application: the pages and the route that stores verdicts. Run by `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from pages.parts.routes import ROUTES

# The script that declares the pages lies apart from pages/, so that Streamlit does not take that folder for pages
# of its own and run one without this frame after a restart.
app = st.App(Path(__file__).parent / "pages" / "parts" / "frame.py", routes=ROUTES)
