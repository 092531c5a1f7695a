"""Import: articles from files, folders and Europe PMC; document labels and gold from tables."""

import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.europepmc import parse_identifiers
from annotate.gold_import import DEFAULT_ANNOTATOR, import_gold
from annotate.home import folder
from annotate.labels import import_labels
from annotate.parsing import KNOWN_SUFFIXES
from annotate.tabular import BadTable
from annotate.verdicts import clean_name
from pages.parts.job_panel import job_logs, job_panel, start_job
from pages.parts.page import annotator, open_page, shown

SESSION_BYTES = 200_000_000
TABLES = ["csv", "xlsx", "jsonl"]

open_page("Import")


def save_uploads(files: list[Any]) -> dict[str, str]:
    """Writes uploads under generated names; returns {path: the name to show}."""
    target = folder("uploads") / uuid.uuid4().hex
    target.mkdir()
    paths = {}
    for number, file in enumerate(files):
        suffix = "".join(re.findall(r"\.[A-Za-z0-9]{1,5}", file.name)[-2:]).lower()
        path = target / f"{number:05d}{suffix}"
        path.write_bytes(file.getbuffer())
        paths[str(path)] = file.name
    return paths


def start_import(**payload: Any) -> None:
    """Starts the import job with the filters of the form."""
    pattern = st.session_state.get("match", "").strip()
    try:
        re.compile(pattern)
    except re.error as error:
        st.session_state.import_error = f"The regular expression is not valid: {error}"
        return
    pmids = st.session_state.get("pmids", "").split() or None
    start_job("import", {"match": pattern or None, "pmids": pmids, "propose": True, **payload})


def import_files() -> None:
    """Imports what was uploaded."""
    files = st.session_state.uploads or []
    if sum(file.size for file in files) > SESSION_BYTES:
        st.session_state.import_error = f"More than {SESSION_BYTES // 1_000_000} MB at once: use a folder instead."
    elif files:
        names = save_uploads(files)
        start_import(paths=list(names), names=names)


def import_path() -> None:
    """Imports a file or folder of this machine."""
    path = Path(st.session_state.path.strip()).expanduser()
    if not st.session_state.path.strip() or not path.exists():
        st.session_state.import_error = f"There is no file or folder {path} on the machine that runs Keyline."
    else:
        start_import(paths=[str(path.resolve())])


def import_identifiers() -> None:
    """Fetches articles from Europe PMC."""
    good, bad = parse_identifiers(st.session_state.identifiers)
    if bad:
        st.session_state.import_error = f"Neither PMID nor PMCID: {', '.join(bad[:10])}"
    elif good:
        start_import(identifiers=good)


def import_table(key: str, read: Callable[[Path], Any]) -> None:
    """Reads an uploaded table; what it says is shown below."""
    if file := st.session_state[key]:
        (path,) = save_uploads([file])
        try:
            st.session_state.table_report = read(Path(path))
        except (BadTable, ValueError) as error:
            st.session_state.import_error = str(error).replace(Path(path).name, file.name)


job_panel(["import", "propose"])
if message := st.session_state.pop("import_error", None):
    st.error(shown(message), icon=":material/error:")
articles, ids, labels, gold = st.tabs(["Files and folders", "Europe PMC", "Document labels", "Gold"])
with articles:
    st.caption(f"JATS and MEDLINE XML, HTML, text, Markdown, CSV; packed as .gz or .zip ({', '.join(KNOWN_SUFFIXES)}).")
    chosen = st.file_uploader(
        "Files", accept_multiple_files=True, key="uploads", type=[s.strip(".") for s in KNOWN_SUFFIXES]
    )
    match, pmids = st.columns(2)
    match.text_input("Only where title or abstract match", key="match", placeholder="regular expression, e.g. CRISPR")
    pmids.text_input("Only these PMIDs", key="pmids", placeholder="apart by spaces")
    st.button("Import the files", type="primary", on_click=import_files, disabled=not chosen)
    st.divider()
    path, action = st.columns([5, 1], vertical_alignment="bottom")
    path.text_input("Or a file or folder on the machine that runs Keyline", key="path")
    action.button("Import", on_click=import_path, width="stretch", key="import_path")
with ids:
    st.caption("Open-access full texts where Europe PMC has them, abstracts otherwise. Needs a network connection.")
    st.text_area("PMIDs and PMCIDs", key="identifiers", placeholder="PMC34516 15678901")
    st.button("Fetch and import", on_click=import_identifiers, type="primary")
with labels:
    st.caption("Columns pmid, pmcid or doi, and genes, cells, edit (KO, KI, KD). Synonyms behind a bar: TP53|p53; MDM2")
    table = st.file_uploader("Table", key="labels_file", type=TABLES)
    st.button(
        "Add document labels",
        on_click=import_table,
        args=("labels_file", import_labels),
        type="primary",
        disabled=not table,
    )
with gold:
    st.caption("Columns pmid, pmcid or doi, sentence, and label (1 or 0; without it every row is a key sentence).")
    table = st.file_uploader("Table", key="gold_file", type=TABLES)
    whose = st.text_input("Whose verdicts", annotator() or DEFAULT_ANNOTATOR, help="Where the file names nobody.")
    st.button(
        "Import gold",
        on_click=import_table,
        args=("gold_file", lambda path: import_gold(path, clean_name(whose))),
        type="primary",
        disabled=not table,
    )
if report := st.session_state.pop("table_report", None):
    values = report.as_dict()
    unplaced = values.pop("failures")
    parts = [f"{value:,} {name.replace('_', ' ')}" for name, value in values.items() if isinstance(value, int)]
    parts += [f"{count:,} matched {method}" for method, count in values.get("by_method", {}).items()]
    st.success(shown(", ".join(parts)), icon=":material/check:")
    if unplaced:
        st.warning(f"{len(unplaced):,} rows were left out.")
        st.dataframe([{"line": line, "reason": reason} for line, reason in unplaced], hide_index=True, width="stretch")
job_logs(["import", "propose"])
