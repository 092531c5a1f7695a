"""What happens before the app serves anybody, and when a page ends in an error."""

import contextlib
import ctypes
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.jobs.lifecycle import leave_out_and_propose
from annotate.operations import prometheus, startup_checks
from annotate.project import logs
from annotate.project.acting import Forbidden
from annotate.project.home import DamagedSecret, check_secret, database
from annotate.project.own_database import check_whole
from annotate.project.refusals import note_refusal
from annotate.project.whole_files import keep_private
from annotate.team.people import login_forgotten
from db.engine import DatabaseBusy, DatabaseNewerThanCode, UnsafeDatabase
from model.proposing.bounded import SlowPattern
from pages.parts.frame.streamlit_internals import ask_nobody_for_addresses, load_options
from pages.parts.frame.text import shown
from pages.parts.server.connections import watch_connections

# A thread that computes keeps the interpreter so long while others wait, and a save waits for its turn a dozen times.
# Next to three such threads a save took 84 ms (p50) with Python's 5 ms and 22 ms with this, which cost them 5%.
TURN_SECONDS = 0.0005
# glibc gives a thread that meets another in malloc a heap of its own, up to eight a core. Each heap keeps the memory
# that was once needed. With two, thirty experts cost 109 MB in place of 259 MB, and a save takes as long.
HEAPS = 2
M_ARENA_MAX = -8  # of glibc's malloc.h
FORGOTTEN = (
    "Keyline does not start: there are accounts, and KEYLINE_AUTH is not set, so everybody could enter. "
    "Set it to local or oidc, or to off if people shall no longer log in."
)


def options() -> dict[str, Any]:
    """Streamlit's options that are checked, as they hold here."""
    return {name: st.get_option(name) for name in startup_checks.OPTIONS}


def options_of_run(arguments: Sequence[str]) -> dict[str, Any]:
    """The options that `streamlit run app.py` with these arguments would use, by its files and the environment too.

    Raises RuntimeError where Streamlit would not start.
    """
    load_options(arguments)
    return options()


def begin() -> None:
    """Keeps files private, memory small, turns and heads of requests short; sets up the log and checks the settings.

    Ends the process, with one line a problem, where it must not serve.
    """
    keep_private()
    with contextlib.suppress(AttributeError, OSError, TypeError):  # no mallopt, no such library, no name for it
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, HEAPS)
    sys.setswitchinterval(TURN_SECONDS)
    logs.configure()
    ask_nobody_for_addresses()
    watch_connections()
    problems = startup_checks.check(options())
    for problem in problems:
        if not problem.refuses:
            logs.warning("start-up check", problem=problem.text)
    if reason := startup_checks.refusals(problems):
        sys.exit(reason)
    try:
        address = database()
        if isinstance(address, Path):
            check_whole(address)
        check_secret()
    except (UnsafeDatabase, DamagedSecret, DatabaseNewerThanCode) as error:
        sys.exit(f"Keyline does not start: {error}")
    if login_forgotten():
        sys.exit(FORGOTTEN)


def page_failed(problem: Exception) -> bool:
    """Tells the user in plain words; the log has the traceback, under the id that they are shown."""
    if isinstance(problem, Forbidden):
        logs.event("forbidden", reason=str(problem))
        note_refusal(problem)
        st.error(f"Not allowed: {problem}.", icon=":material/block:")
        return True
    if isinstance(problem, SlowPattern) and leave_out_and_propose(problem):
        st.warning(shown(f"The{str(problem)[3:]} and is left out from now on. Load the page again."))
        return True
    prometheus.PAGE_ERRORS.inc()
    error_id = logs.error("page failed", problem)
    if isinstance(problem, DatabaseBusy):
        text = f"The database did not answer in time. Nothing was changed; try again. (Error {error_id})"
    elif isinstance(problem, UnsafeDatabase | DamagedSecret):
        text = (
            "Keyline found damaged files, and saves nothing until they are repaired. What was saved is safe. Tell "
            f"an admin this error: {error_id}"
        )
    else:
        text = f"Something went wrong on this page. What was saved is safe. Tell an admin this error: {error_id}"
    st.error(text, icon=":material/error:")
    return True
