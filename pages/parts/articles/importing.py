"""The buttons of the import page: uploads kept under generated names, long work as a job, a folder that is watched."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import Any

import streamlit as st

from annotate.articles.document_labels import import_labels
from annotate.articles.parsing import compile_pattern
from annotate.articles.parsing.entry import UnusablePattern, show_name
from annotate.articles.parsing.identifiers import parse_identifiers
from annotate.gold.import_file import import_gold
from annotate.operations.watched_folder import WatchSettings, refuse_own_data
from annotate.project.acting import current_actor, demand
from annotate.project.home import look_up
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings, settings_now
from annotate.project.words import count_of
from pages.parts.articles.uploads import FREE_BYTES, SESSION_BYTES, disk_is_short, keep_files, kept_table, release
from pages.parts.frame.messages import keep_error
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.streamlit_internals import UploadedFile
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import job_started, start_job

WORD = "is a word processor file in a format that Keyline does not read"
REFUSED = {".doc": WORD, ".odt": WORD, ".rtf": WORD}
INSTEAD = "Save it as .docx or .pdf, or fetch the article by its PMID, PMCID or DOI under Europe PMC."
NO_SPACE = f"Less than {FREE_BYTES // 1_000_000_000} GB are free on the disk: free some space, then upload again."


def reason_of(name: str) -> str | None:
    """Why a file of this name is refused; None where it is accepted."""
    return REFUSED.get(PurePath(name).suffix.lower())


def readable(files: Sequence[UploadedFile]) -> list[UploadedFile]:
    """The uploads that can be tried."""
    return [file for file in files if reason_of(file.name) is None]


def say_what_is_refused(files: Sequence[UploadedFile]) -> None:
    """Names each refused upload with its reason, and what to do instead."""
    found = [f"{show_name(file.name)} {reason}" for file in files if (reason := reason_of(file.name))]
    if found:
        st.error(shown(f"{'; '.join(found)}. {INSTEAD}"), icon=":material/block:")


def upload_key(what: str) -> str:
    """The key of the uploader of these files; another one after each import, so that it is empty again."""
    return f"{what}_{st.session_state.get(f'{what}_imported', 0)}"


def import_files() -> None:
    """Imports the uploads, files and the files of a folder."""
    if (filters := _filters()) is not None:
        _import_uploads("import", ("uploads", "folder"), filters)


def import_vocabulary() -> None:
    """Loads the uploaded files of names."""
    _import_uploads("vocabulary", ("vocabulary",), {})


def _import_uploads(kind: str, uploaders: Sequence[str], payload: dict[str, Any]) -> None:
    files = [file for what in uploaders for file in readable(st.session_state.get(upload_key(what)) or [])]
    if disk_is_short():
        _refuse(NO_SPACE)
    elif sum(file.size for file in files) > SESSION_BYTES:
        _refuse(f"More than {SESSION_BYTES // 1_000_000} MB at once: import a folder instead.")
    elif files:
        names = _save(files)
        if job_started(kind, payload | {"paths": list(names), "names": names}):
            release(files)
            for what in uploaders:
                st.session_state[f"{what}_imported"] = st.session_state.get(f"{what}_imported", 0) + 1
        else:
            shutil.rmtree(Path(next(iter(names))).parent)


def import_path() -> None:
    """Imports a file or folder of the machine that runs the app. Only for operators: it reads any file the app may."""
    if (path := _on_this_machine("path")) and (filters := _filters()) is not None:
        start_job("import", filters | {"paths": [path]})


def import_vocabulary_path() -> None:
    """Loads a file of names of the machine that runs the app, of any size. Only operators, likewise."""
    if path := _on_this_machine("vocabulary_path"):
        start_job("vocabulary", {"paths": [path]})


def _on_this_machine(key: str, wanted: str = "file or folder") -> str | None:
    """The path that a field holds; None, with a word to the user, where no wanted thing is there."""
    look_up(demand, Right.OPERATE)
    given = st.session_state[key].strip()
    path = Path(given).expanduser()
    if given and (path.is_dir() if wanted == "folder" else path.exists()):
        return str(path.resolve())
    _refuse(f"There is no {wanted} {path} on the machine that runs Keyline.")
    return None


def import_identifiers() -> None:
    """Fetches articles from Europe PMC."""
    good, bad = parse_identifiers(st.session_state.identifiers)
    if bad:
        _refuse(f"Neither PMID, PMCID nor DOI: {', '.join(bad[:10])}")
    elif good and (filters := _filters()) is not None:
        start_job("import", filters | {"identifiers": good})


def fetch(identifiers: Sequence[str]) -> None:
    """Fetches and imports the works with these PMIDs and PMCIDs."""
    if job_started("import", {"identifiers": list(identifiers), "propose": True, "recognise": True}):
        st.toast(f"{count_of(len(identifiers), 'article')} fetched and imported.", icon=":material/download:")


def import_gold_table() -> None:
    """Stores the verdicts of an uploaded gold file."""
    _import_table("gold_file", lambda path, name: import_gold(path, st.session_state.whose, name))


def import_label_table() -> None:
    """Adds the document labels of an uploaded table and proposes again with them."""
    if _import_table("labels_file", lambda path, _: import_labels(path)):
        start_job("propose", {})


def _import_table(key: str, read: Callable[[Path, str], Any]) -> bool:
    """Reads an uploaded table, by its path and its owner's name, with `read`, whose report the page shows; says whether
    it could be read."""
    file = st.session_state[key]
    if not file:
        return False
    if disk_is_short():
        _refuse(NO_SPACE)
        return False
    could = False
    with keep_error("import_error"), kept_table(file.name, file.getbuffer()) as path:
        st.session_state.table_report = read(path, file.name)
        could = True
    return could


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
    fetch = st.session_state.get("fetch", True)
    return {"match": pattern or None, "pmids": pmids, "fetch": fetch, "propose": True, "recognise": True}


def _refuse(message: str) -> None:
    st.session_state.import_error = message


def watch_form() -> None:
    """A field and a button; for those who may read the machine's files."""
    watched = look_up(settings_now, WatchSettings).folder
    path, action = words_and_action("bottom")
    if watched:
        state = "New files in it are imported within two minutes." if Path(watched).is_dir() else "It is not there."
        path.markdown(f"Watched folder: **{shown(watched)}**. {state}")
        action.button("Stop watching", on_click=_watch, args=("",), key="watch_stop")
        return
    path.text_input("Or a folder whose new files are imported automatically", key="watch_path")
    action.button("Watch", on_click=_watch_chosen, key="watch_start")


def _watch_chosen() -> None:
    if path := _on_this_machine("watch_path", "folder"):
        with keep_error("import_error", "Not watched: {}."):
            refuse_own_data(Path(path))
            _watch(path)


def _watch(folder: str) -> None:
    change_settings(current_actor().name, WatchSettings(folder=folder))
