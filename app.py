"""The web application: the pages, the routes next to them and what runs on its own. Run by `streamlit run app.py`."""

# ruff: noqa: E402
import gc

gc.disable()  # what is imported stays; to look through it for garbage, again and again, is a seventh of the start

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from pages.parts.articles.uploads import UploadLimit
from pages.parts.frame.shown import shown_parts
from pages.parts.server.first_page import FirstPage
from pages.parts.server.lifespan import lifespan
from pages.parts.server.ops_routes import OPS_ROUTES, observed
from pages.parts.server.routes import ROUTES
from pages.parts.server.security_headers import SecurityHeaders
from pages.parts.server.site_gate import SiteGate
from pages.parts.server.slow_bodies import BodyInTime
from pages.parts.server.start import begin, page_failed

gc.freeze()  # nor is it looked through later
gc.enable()

begin()
# The script that declares the pages lies apart from pages/. Else Streamlit takes that folder for its own pages, and
# runs one without this frame after a restart.
app = st.App(
    Path(__file__).parent / "pages" / "parts" / "frame" / "menu.py",
    routes=observed((*ROUTES, *OPS_ROUTES, *(route for part in shown_parts() for route in part.routes))),
    middleware=[Middleware(each) for each in (SecurityHeaders, SiteGate, BodyInTime, UploadLimit, FirstPage)],
    lifespan=lifespan,
    on_script_error=page_failed,
)
