"""Check: whether a difference is real. The fair test asks for what two versions rank first, the audit for errors."""

import streamlit as st

import db.registry
from annotate.project.home import look_up
from annotate.proposing.encoder_versions import proposing_version
from pages.parts.evaluation.audit_card import audit
from pages.parts.evaluation.fair_test_card import fair_test
from pages.parts.frame.page import open_page, require_annotator
from pages.parts.shared.job_panel import job_panel

WHAT = {"audit": "Audit", "fair_test": "Fair test"}

open_page()
expert = require_annotator()
serving = proposing_version()
versions = {version.name: version for version in look_up(db.registry.encoders)}
job_panel(["evaluate"])
asked = st.query_params.get("what")
what = st.segmented_control(
    "What to check",
    list(WHAT),
    default=asked if asked in WHAT else "audit",
    format_func=WHAT.__getitem__,
    required=True,
    key="check_what",
    label_visibility="collapsed",
)
(audit if what == "audit" else fair_test)(expert, serving, versions)
