"""The form of a comparison: the folder of the tasks' files, encoders, tasks, and how."""

import streamlit as st

from annotate.encoders.sources import AND_WORDS, WORDS, known_versions
from annotate.encoders.tasks.registry import TASKS, TaskFolder, installed, place_of
from annotate.encoders.tasks.suites import MTEB, suites_installed
from annotate.encoders.tasks.task import Place
from annotate.project.acting import current_actor
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings, settings_now
from annotate.proposing.encoder_versions import proposing_version
from pages.parts.frame.messages import message_of
from pages.parts.frame.page import may
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import start_job
from pages.parts.shared.tables import text_table

CLASSIFIERS = {"logistic": "logistic regression", "network": "one layer of 50 units"}


def task_folder() -> Place:
    """The folder of the tasks' files, with the way to name another; a place without folders where it is gone."""
    with read() as session:
        folder = settings_now(session, TaskFolder).folder
    if message := message_of("task_folder_error"):
        st.error(shown(message), icon=":material/error:")
    text, button = words_and_action("bottom")
    text.text_input(
        "Folder of the tasks' files, on the server",
        folder,
        key="task_folder",
        placeholder="such as /data/medsenteval",
        help="Files are found by their names in it and in the folders within. docs/encoders.md lists them.",
    )
    button.button("Use it", on_click=_use_folder, disabled=not may(TaskFolder.RIGHT))
    try:
        return place_of([folder] if folder else [])
    except ValueError as error:
        st.error(shown(str(error)), icon=":material/error:")
        return Place()


def _use_folder() -> None:
    folder = st.session_state.task_folder.strip()
    try:
        place_of([folder] if folder else [])
        change_settings(current_actor().name, TaskFolder(folder))
        st.session_state.pop("compared_tasks", None)  # other tasks are ready now
    except ValueError as error:
        st.session_state.task_folder_error = str(error)


def run_form(place: Place) -> str:
    """The choice of encoders and tasks, and the button; returns the classifier whose results are shown."""
    proposing_version()
    versions = known_versions()
    reasons = installed(place)
    ready = [name for name, why in reasons.items() if not why]
    names = [WORDS, *versions, *(version + AND_WORDS for version in versions)]
    with st.container(border=True):
        st.multiselect(
            "Encoders", names, [WORDS, *versions[:2]], key="compared_encoders", accept_new_options=True,
            help="Versions, words alone, or both together. A folder of the server or a hub id can be typed.",
        )  # fmt: skip
        st.multiselect(
            "Tasks", ready, [name for name in ready if TASKS[name].cheap] or ready, key="compared_tasks",
            format_func=lambda name: TASKS[name].title if name in TASKS else name,
            placeholder="None is installed", accept_new_options=suites_installed(),
            help=f"Tasks of the package mteb can be typed, as {MTEB}NAME." if suites_installed() else None,
        )  # fmt: skip
        fields, action = words_and_action("bottom")
        how, size, probes = fields.columns(3, vertical_alignment="bottom")
        classifier = how.selectbox(
            "On the vectors", list(CLASSIFIERS), format_func=CLASSIFIERS.__getitem__, key="compared_classifier"
        )
        size.checkbox("All items of large tasks", key="compared_full", help="Otherwise a sample of whole articles.")
        probes.checkbox("Probes", key="compared_probes", help="Stop words, abbreviations and genes of stored articles.")
        some = ready or suites_installed()
        action.button("Run", type="primary", on_click=_run, disabled=not some or not may(Right.EVALUATE))
        _not_ready(reasons)
    return str(classifier)


def _run() -> None:
    state = st.session_state
    start_job(
        "encoders",
        {
            "encoders": state.compared_encoders or [WORDS],
            "tasks": state.compared_tasks or None,
            "classifier": state.compared_classifier,
            "full": state.compared_full,
            "probes": state.compared_probes,
        },
    )


def _not_ready(reasons: dict[str, str]) -> None:
    missing = [
        {
            "task": TASKS[name].title, "why not": why, "what": str(TASKS[name].kind), "source": TASKS[name].source,
            "licence": TASKS[name].licence,
        }
        for name, why in reasons.items()
        if why
    ]  # fmt: skip
    if missing:
        with st.expander(f"Tasks that cannot be run here: {len(missing)}"):
            text_table(missing, "Tasks that cannot be run here")
