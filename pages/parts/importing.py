"""What the buttons of the import page do: uploads are kept under generated names, long work becomes a job."""

import re
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.europepmc import parse_identifiers
from annotate.gold_import import import_gold
from annotate.home import folder
from annotate.labels import import_labels
from annotate.tabular import BadTable
from annotate.verdicts import clean_name
from pages.parts.job_panel import start_job

# Streamlit has no limit on all files of an upload together; they lie in memory until they are written.
UPLOAD_BYTES = 200_000_000


def import_files() -> None:
    """Imports what was uploaded."""
    files = st.session_state.uploads or []
    if sum(file.size for file in files) > UPLOAD_BYTES:
        _refuse(f"More than {UPLOAD_BYTES // 1_000_000} MB at once: import a folder instead.")
    elif files:
        names = _save(files)
        _start(paths=list(names), names=names)


def import_path() -> None:
    """Imports a file or folder of the machine that runs the app."""
    path = Path(st.session_state.path.strip()).expanduser()
    if not st.session_state.path.strip() or not path.exists():
        _refuse(f"There is no file or folder {path} on the machine that runs Keyline.")
    else:
        _start(paths=[str(path.resolve())])


def import_identifiers() -> None:
    """Fetches articles from Europe PMC."""
    good, bad = parse_identifiers(st.session_state.identifiers)
    if bad:
        _refuse(f"Neither PMID nor PMCID: {', '.join(bad[:10])}")
    elif good:
        _start(identifiers=good)


def import_gold_table() -> None:
    """Stores the verdicts of an uploaded gold file."""
    _import_table("gold_file", lambda path: import_gold(path, clean_name(st.session_state.whose)))


def import_label_table() -> None:
    """Adds the document labels of an uploaded table and proposes anew with them."""
    if _import_table("labels_file", import_labels):
        start_job("propose", {})


def _import_table(key: str, read: Callable[[Path], Any]) -> bool:
    """Reads an uploaded table with `read`, whose report the page shows; says whether it could be read."""
    file = st.session_state[key]
    if not file:
        return False
    (path,) = map(Path, _save([file]))
    try:
        st.session_state.table_report = read(path)
    except (BadTable, ValueError) as error:
        _refuse(str(error).replace(path.name, file.name))
        return False
    finally:
        shutil.rmtree(path.parent)
    return True


def _save(files: list[Any]) -> dict[str, str]:
    """Writes uploads into a folder of their own; returns {path: the name to show}."""
    target = folder("uploads") / uuid.uuid4().hex
    target.mkdir()
    paths = {}
    for number, file in enumerate(files):
        suffix = "".join(re.findall(r"\.[A-Za-z0-9]{1,5}", file.name)[-2:]).lower()
        path = target / f"{number:05d}{suffix}"
        path.write_bytes(file.getbuffer())
        paths[str(path)] = file.name
    return paths


def _start(**payload: Any) -> None:
    pattern = st.session_state.get("match", "").strip()
    try:
        re.compile(pattern)
    except re.error as error:
        _refuse(f"The regular expression is not valid: {error}")
        return
    pmids = st.session_state.get("pmids", "").split() or None
    start_job("import", {"match": pattern or None, "pmids": pmids, "propose": True, **payload})


def _refuse(message: str) -> None:
    st.session_state.import_error = message
