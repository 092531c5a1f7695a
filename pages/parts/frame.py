"""Declares the pages and runs one."""

from pathlib import Path

import streamlit as st

PAGES = Path(__file__).parent.parent
# In the order of the work: experts review, curators import and export, maintainers retrain and evaluate.
ENTRIES = {
    "articles": ("Articles", ":material/library_books:"),
    "review": ("Review", ":material/rate_review:"),
    "import_articles": ("Import", ":material/upload_file:"),
    "gold": ("Gold", ":material/verified:"),
    "retrain": ("Retrain", ":material/model_training:"),
    "evaluate": ("Evaluate", ":material/monitoring:"),
    "experiments": ("Experiments", ":material/science:"),
    "report": ("Report", ":material/lab_profile:"),
    "audit": ("Audit", ":material/fact_check:"),
}

st.navigation(
    [
        st.Page(PAGES / f"{name}.py", title=title, icon=icon, default=name == "articles", url_path=name)
        for name, (title, icon) in ENTRIES.items()
    ],
    position="top",  # the review page needs the width
).run()
