"""What the buttons of the import page do: uploads are kept under generated names, long work becomes a job."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.articles.document_labels import import_labels
from annotate.articles.europepmc import parse_identifiers
from annotate.articles.parsing import compile_pattern
from annotate.articles.parsing.entry import UnusablePattern
from annotate.articles.table_files import BadTable
from annotate.gold.import_file import import_gold
from annotate.project.acting import demand
from annotate.project.home import read
from annotate.project.names import clean_name
from annotate.project.rights import Right
from pages.parts.articles.refused_uploads import readable
from pages.parts.articles.uploads import FREE_BYTES, SESSION_BYTES, disk_is_short, keep_files, release
from pages.parts.shared.job_panel import job_started, start_job

NO_SPACE = f"Less than {FREE_BYTES // 1_000_000_000} GB are free on the disk: free some space, then upload again."


def uploads_key() -> str:
    """The key of the uploader of articles; another one after each import, so that it is empty again."""
    return f"uploads_{st.session_state.get('imports', 0)}"


def folder_key() -> str:
    """The key of the uploader of a folder, which changes after each import so that the uploader is empty again."""
    return f"folder_{st.session_state.get('imports', 0)}"


def references_key() -> str:
    """The key of the uploader of files from reference managers, which changes after each import."""
    return f"references_{st.session_state.get('imports', 0)}"


def import_files() -> None:
    """Imports the uploads, files and the files of a folder."""
    keys = (uploads_key(), folder_key(), references_key())
    files = [file for key in keys for file in readable(st.session_state.get(key) or [])]
    if disk_is_short():
        _refuse(NO_SPACE)
    elif sum(file.size for file in files) > SESSION_BYTES:
        _refuse(f"More than {SESSION_BYTES // 1_000_000} MB at once: import a folder instead.")
    elif files and (filters := _filters()) is not None:
        names = _save(files)
        if job_started("import", filters | {"paths": list(names), "names": names, "recognise": True}):
            release(files)
            st.session_state.imports = st.session_state.get("imports", 0) + 1
        else:
            shutil.rmtree(Path(next(iter(names))).parent)


def vocabulary_key() -> str:
    """The key of the uploader of names; another one after each load, so that it is empty again."""
    return f"vocabulary_{st.session_state.get('vocabularies', 0)}"


def import_vocabulary() -> None:
    """Loads the uploaded files of names."""
    files = st.session_state[vocabulary_key()] or []
    if disk_is_short():
        _refuse(NO_SPACE)
    elif files:
        names = _save(files)
        if job_started("vocabulary", {"paths": list(names), "names": names}):
            release(files)
            st.session_state.vocabularies = st.session_state.get("vocabularies", 0) + 1
        else:
            shutil.rmtree(Path(next(iter(names))).parent)


def import_path() -> None:
    """Imports a file or folder of the machine that runs the app. Only for operators: it reads any file the app may."""
    if (path := _on_this_machine("path")) and (filters := _filters()) is not None:
        start_job("import", filters | {"paths": [path], "recognise": True})


def import_vocabulary_path() -> None:
    """Loads a file of names of the machine that runs the app, of any size. Only operators, likewise."""
    if path := _on_this_machine("vocabulary_path"):
        start_job("vocabulary", {"paths": [path]})


def _on_this_machine(key: str) -> str | None:
    """The path that a field holds; None, with a word to the user, where nothing is there."""
    with read() as session:
        demand(session, Right.OPERATE)
    given = st.session_state[key].strip()
    path = Path(given).expanduser()
    if given and path.exists():
        return str(path.resolve())
    _refuse(f"There is no file or folder {path} on the machine that runs Keyline.")
    return None


def import_identifiers() -> None:
    """Fetches articles from Europe PMC."""
    good, bad = parse_identifiers(st.session_state.identifiers)
    if bad:
        _refuse(f"Neither PMID, PMCID nor DOI: {', '.join(bad[:10])}")
    elif good and (filters := _filters()) is not None:
        start_job("import", filters | {"identifiers": good, "recognise": True})


def import_gold_table() -> None:
    """Stores the verdicts of an uploaded gold file."""
    _import_table("gold_file", lambda path: import_gold(path, clean_name(st.session_state.whose)))


def import_label_table() -> None:
    """Adds the document labels of an uploaded table and proposes again with them."""
    if _import_table("labels_file", import_labels):
        start_job("propose", {})


def _import_table(key: str, read: Callable[[Path], Any]) -> bool:
    """Reads an uploaded table with `read`, whose report the page shows; says whether it could be read."""
    file = st.session_state[key]
    if not file:
        return False
    if disk_is_short():
        _refuse(NO_SPACE)
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
    return keep_files((file.name, file.getbuffer()) for file in files)


def _filters() -> dict[str, Any] | None:
    """Which articles an import is to take; None, with a word to the user, for a pattern that is none."""
    pattern = st.session_state.get("match", "").strip()
    try:
        compile_pattern(pattern)
    except UnusablePattern as error:
        _refuse(f"The filter: {error}")
        return None
    pmids = st.session_state.get("pmids", "").split() or None
    return {"match": pattern or None, "pmids": pmids, "propose": True}


def _refuse(message: str) -> None:
    st.session_state.import_error = message
