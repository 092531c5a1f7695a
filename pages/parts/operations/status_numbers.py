"""What the status page says of rows, sizes, jobs, the proposing version's files and the programs."""

import time

import streamlit as st

from annotate.jobs import lifecycle
from annotate.jobs.kinds import title_of
from annotate.operations.model_files import damage_of
from annotate.operations.server_status import FREE_BYTES, ServerStatus
from annotate.proposing.encoder_versions import proposing_version
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time
from pages.parts.frame.told import told


def size(count: float) -> str:
    """Bytes as people read them."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


def numbers(status: ServerStatus) -> None:
    """Two rows of figures: stored articles and labels, people at work, and the free space of the machine."""
    database = status.database
    with st.container(border=True):
        first = {
            "Articles": f"{status.articles:,}",
            "Sentences": f"{status.sentences:,}",
            "Verdicts": f"{status.verdicts:,}",
            "Waiting for review": f"{status.waiting:,}",
            "In hand": f"{status.leased:,}",
            "Logged in": f"{status.logged_in:,}",
        }
        for column, (label, value) in zip(st.columns(len(first)), first.items(), strict=True):
            column.metric(label, value)
        second = {
            f"{database.kind} {database.version}": size(database.bytes),
            "Write-ahead log": size(database.wal_bytes) if database.journal == "WAL" else "none",
            "Schema": database.schema,
            "Free disk": size(status.free_bytes),
            "Memory of the app": size(status.memory_bytes),
            "Wrong logins, 1 h": f"{status.wrong_passwords:,}",
        }
        low = status.free_bytes < FREE_BYTES
        for column, (label, value) in zip(st.columns(len(second)), second.items(), strict=True):
            column.metric(label, f":red[{value}]" if low and label == "Free disk" else value)


def jobs_panel(status: ServerStatus) -> None:
    """What runs, and the last that failed with what it said."""
    st.subheader("Jobs")
    for job in status.active:
        stage = job.progress.get("stage", job.state)
        begun = local_time(job.started_at or job.created_at)
        st.markdown(f"**{title_of(job.kind)}** · {shown(stage)} · since {begun}")
    if not status.active:
        st.caption("None runs or waits.")
    failed = status.failed
    if failed is None:
        st.caption("None of the last fifty failed.")
        return
    when = local_time(failed.finished_at or failed.created_at)
    st.markdown(f"Last failed: **{title_of(failed.kind)}**, {when}: {shown(failed.error or '')}")
    if log := lifecycle.log_tail(failed.id).strip():
        with st.expander(f"Log of job {failed.id}", icon=":material/terminal:"):
            st.code(log, language=None)


def model_panel() -> None:
    """The proposing version, and a button that reads its files: never done by opening the page."""
    serving = proposing_version()
    st.subheader("Model files")
    text, button = st.columns([3, 2], vertical_alignment="center")
    text.markdown(f"**{shown(serving.name)}** proposes.")
    button.button("Check its files", icon=":material/policy:", on_click=_look, width="stretch")
    if checked := told("status_checked"):
        name, damage, seconds = checked
        if damage:
            st.error(f"{shown(name)}: {shown(damage)}", icon=":material/error:")
        else:
            st.success(f"{shown(name)}: every file is as it was saved ({seconds:.1f} s).", icon=":material/check:")


def _look() -> None:
    serving = proposing_version()
    began = time.monotonic()
    damage = damage_of(serving, read_anew=True)
    st.session_state.status_checked = (serving.name, damage, time.monotonic() - began)


def versions_line(status: ServerStatus) -> None:
    """Which programs these are."""
    st.caption(" · ".join(f"{name} {shown(version)}" for name, version in status.versions.items()))
