"""Encoders: any encoder, frozen, compared with others on small biomedical tasks, with its cost and the words that it
takes for similar."""

import streamlit as st

from annotate.encoders.table import compared, stored_results
from pages.parts.encoders.results_view import chosen_base, cost_and_probes, figures, result_table
from pages.parts.encoders.run_form import run_form, task_folder
from pages.parts.frame.page import open_page
from pages.parts.shared.job_panel import failures, job_logs, job_panel

open_page()
st.caption(
    "Which encoder to start from, and what a retraining cost on other tasks. No encoder is trained here: a small "
    "classifier learns from its vectors and is tested on articles that it did not see."
)
job_panel(["encoders"])
failures("encoders", "scores")
place = task_folder()
classifier = run_form(place)
results = stored_results(classifier)
if not results:
    st.info(
        "No encoder was compared yet. Name the folder of the tasks' files above, choose encoders and tasks, and run. "
        "The project's own key sentences are a task without files, once test articles have labels.",
        icon=":material/inbox:",
    )
else:
    st.subheader("Results")
    rows = compared(results, chosen_base(results))
    result_table(rows)
    figures(rows)
    cost_and_probes(rows)
job_logs(["encoders"])
