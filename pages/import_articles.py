"""Import: articles from files, folders and Europe PMC; document labels and gold from tables."""

import streamlit as st

from annotate.articles.parsing import FORMATS, KNOWN_SUFFIXES
from annotate.articles.parsing.formats import REFERENCE_SUFFIXES
from annotate.gold.import_file import DEFAULT_ANNOTATOR
from annotate.project.release import PROGRAM
from annotate.project.rights import Right
from annotate.topics.project_topic import current_topic
from pages.parts.articles.import_reports import import_reports, import_that_ended, table_report
from pages.parts.articles.importing import (
    REFUSED,
    import_files,
    import_gold_table,
    import_identifiers,
    import_label_table,
    import_path,
    readable,
    say_what_is_refused,
    upload_key,
    watch_form,
)
from pages.parts.frame.messages import show_message
from pages.parts.frame.page import annotator, may, open_page
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.shown import shown_parts
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import job_logs, job_panel
from pages.parts.shared.label_form import columns_text

TABLES = ["csv", "xlsx", "jsonl"]
FETCH = (
    "Full texts where they are open. Switch it off to screen by title and abstract: each record is then stored as the "
    "file has it, at once and without a network."
)

open_page()


JOBS = ["import", "entities", "functions", "vocabulary", "propose"]
job_panel(["import"], ended=False)  # how they ended stands in the list of imports
job_panel(JOBS[1:])
with st.container():  # always there, or the tabs below would move, and the first one come forward
    show_message("import_error")
    import_that_ended()
more = {title: draw for part in shown_parts() for title, draw in part.import_tabs.items()}
articles, ids, labels, gold, *more_tabs = st.tabs(["Files and folders", "Europe PMC", "Document labels", "Gold", *more])
with articles:
    st.caption(
        f"{', '.join(FORMATS)}; packed as .gz or .zip. A larger file, such as one of MEDLINE's baseline, "
        f"goes in on the machine that runs Keyline: `{PROGRAM} import FILE`."
    )
    kinds = [suffix.strip(".") for suffix in (*KNOWN_SUFFIXES, *REFERENCE_SUFFIXES)]
    files, whole = st.columns(2)
    chosen = files.file_uploader(
        "Files",
        accept_multiple_files=True,
        key=upload_key("uploads"),
        type=[*kinds, *(one.strip(".") for one in REFUSED)],
    )
    chosen += whole.file_uploader("A folder", accept_multiple_files="directory", key=upload_key("folder"), type=kinds)
    say_what_is_refused(chosen)
    st.checkbox("Fetch what RIS, BibTeX and nbib files name from Europe PMC", True, key="fetch", help=FETCH)
    match, pmids = st.expander("More").columns(2)
    match.text_input("Only where title or abstract match", key="match", placeholder="regular expression")
    pmids.text_input("Only these PMIDs", key="pmids", placeholder="separated by spaces")
    st.button("Import the files", type="primary", on_click=import_files, disabled=not readable(chosen))
    if may(Right.OPERATE):  # who may read the machine's files
        st.divider()
        path, action = words_and_action("bottom")
        path.text_input("Or a file or folder on the machine that runs Keyline", key="path")
        action.button("Import", on_click=import_path, key="import_path")
        watch_form()
with ids:
    st.caption("Open-access full texts where Europe PMC has them, abstracts otherwise. Needs a network connection.")
    st.text_area(
        "PMIDs, PMCIDs and DOIs", key="identifiers", placeholder="PMC34516 15678901 10.1371/journal.pone.0000217"
    )
    st.button("Fetch and import", on_click=import_identifiers, type="primary")
with labels:
    if columns := columns_text(current_topic()):
        st.caption(shown(f"Columns pmid, pmcid or doi, and {columns}."))
    else:
        st.caption("The topic of this project has no document labels.")
    table = st.file_uploader("Table", key="labels_file", type=TABLES)
    st.button("Add document labels", on_click=import_label_table, type="primary", disabled=not table)
with gold:
    st.caption("Columns pmid, pmcid or doi, sentence, and label (1 or 0; without it every row is a key sentence).")
    table = st.file_uploader("Table", key="gold_file", type=TABLES)
    st.text_input(
        "Whose verdicts", annotator() or DEFAULT_ANNOTATOR, key="whose", help="Used where the file names no person."
    )
    st.button("Import gold", on_click=import_gold_table, type="primary", disabled=not table)
for tab, draw in zip(more_tabs, more.values(), strict=True):
    with tab:
        draw()
table_report()
import_reports()
job_logs(JOBS)
