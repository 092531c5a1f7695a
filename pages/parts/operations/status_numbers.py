"""The page Status: rows, sizes, jobs, the proposing version's files, the programs, and the backups."""

import time

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.jobs import lifecycle
from annotate.jobs.kinds import title_of
from annotate.operations.backup_schedule import KIND, BackupSettings, archives
from annotate.operations.model_files import damage_of
from annotate.operations.sealing import heads_file
from annotate.operations.server_status import FREE_BYTES, ServerStatus
from annotate.project.home import look_up
from annotate.project.release import PROGRAM
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import proposing_version
from db.operations.seals import counts, head
from model.checked_settings import bounds
from pages.parts.frame.messages import message_of, show_message
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import local_time, shown
from pages.parts.shared.downloads import File, offer
from pages.parts.shared.job_panel import job_panel, start_job
from pages.parts.shared.settings_form import settings_form
from pages.parts.shared.tables import metrics_row, text_table

SHOWN = 10
POSTGRESQL = f'pg_dump --format=custom --file=keyline.dump "$DATABASE_URL"\n{PROGRAM} backup models.tar --models-only'


def size(count: float) -> str:
    """Bytes as people read them."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


def numbers(status: ServerStatus) -> None:
    """Stored articles and labels, people at work and the free space of the machine; behind a fold what few ask for."""
    database = status.database
    with st.container(border=True):
        counts = {
            "Articles": status.articles,
            "Sentences": status.sentences,
            "Verdicts": status.verdicts,
            "Waiting": status.waiting,
            "Being reviewed": status.leased,
            "Logged in": status.logged_in,
        }
        metrics_row({label: f"{count:,}" for label, count in counts.items()})
        free = size(status.free_bytes)
        metrics_row(
            {
                f"{database.kind} {database.version}": size(database.bytes),
                "Free disk": f":red[{free}]" if status.free_bytes < FREE_BYTES else free,
                "Wrong logins, 1 h": f"{status.wrong_passwords:,}",
            },
            columns=len(counts),
        )
        with st.expander("Details"):
            metrics_row(
                {
                    "Write-ahead log": size(database.wal_bytes) if database.journal == "WAL" else "none",
                    "Schema": database.schema,
                    "Memory of the app": size(status.memory_bytes),
                }
            )


def jobs_panel(status: ServerStatus) -> None:
    """What runs, and the last that failed with what it said."""
    st.subheader("Jobs")
    for job in status.active:
        stage = job.progress.get("stage", job.state)
        since = local_time(job.started_at or job.created_at)
        st.markdown(f"**{title_of(job.kind)}** · {shown(stage)} · since {since}")
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
    text, button = words_and_action()
    text.markdown(f"**{shown(serving.name)}** proposes.")

    def look() -> None:
        began = time.monotonic()
        damage = damage_of(serving, read_anew=True)
        st.session_state.status_checked = (serving.name, damage, time.monotonic() - began)

    button.button("Check its files", icon=":material/policy:", on_click=look)
    if checked := message_of("status_checked"):
        name, damage, seconds = checked
        if damage:
            st.error(f"{shown(name)}: {shown(damage)}", icon=":material/error:")
        else:
            st.success(f"{shown(name)}: every file is as it was saved ({seconds:.1f} s).", icon=":material/check:")


def seals_panel() -> None:
    """Until when the history is sealed, and a button of the heads that an auditor keeps."""
    st.subheader("Proof of history")
    text, button = words_and_action()
    last, (sealed, waiting) = look_up(head), look_up(counts)
    if last is None:
        text.caption("Nothing is sealed yet.")
        return
    rest = f" · {waiting:,} wait" if waiting else ""
    text.markdown(f"**Sealed to {local_time(last.at)}** · {sealed:,} entries{rest} · head `{last.chain[:12]}`")
    with button:
        help_ = f"Keep it elsewhere: {PROGRAM} verify --head FILE tells whether history was changed since."
        offer(
            [File("Heads", heads_file().name, "text/plain", Right.OPERATE, heads_file().read_bytes, help=help_)],
            key="heads",
        )


def backups_panel(status: ServerStatus) -> None:
    """The last backup and when the next one is due; one click makes another."""
    st.subheader("Backups")
    if status.database.kind != "SQLite":
        st.markdown("PostgreSQL is backed up by its own tool; run both of these from cron:")
        st.code(POSTGRESQL, language="bash")
        return
    job_panel([KIND], ended=False)
    text, button = words_and_action()
    text.markdown(_last(status))
    button.button("Back up now", icon=":material/backup:", type="primary", on_click=start_job, args=(KIND, {}))
    rows = [{"archive": path.name, "size": size(path.stat().st_size)} for path in reversed(archives()[-SHOWN:])]
    if rows:
        text_table(rows, "Backups")
        st.caption(
            f"In the folder backups of the data folder, {size(status.backups.bytes)} in all. Copy them to another "
            "machine: a backup on the same disk does not survive the disk."
        )


def _last(status: ServerStatus) -> str:
    backups = status.backups
    if backups.newest is None or backups.made is None or backups.age_hours is None:
        return "None yet."
    result = backups.made.result
    left_out = result.get("left_out", {})
    hours = backups.age_hours
    age = f"{hours * 60:,.0f} min" if hours < 1 else f"{hours:,.1f} h" if hours < 48 else f"{hours / 24:,.0f} days"
    parts = [f"**{age} old**", size(result.get("bytes", 0)), f"{result.get('seconds', 0):,.1f} s"]
    parts.append("read again and sound" if not left_out else f"without {shown(', '.join(left_out))}, which is damaged")
    return " · ".join(parts)


def schedule_form(place: DeltaGenerator) -> None:
    """The schedule behind a button, stored under the name of the person who saves it."""

    def fields(settings: BackupSettings, form: str) -> None:
        st.toggle("Back up automatically", settings.on, key=f"on_{form}")
        for name, label in {"every_hours": "Hours between two", "keep": "Archives to keep"}.items():
            st.number_input(label, *bounds(BackupSettings)[name], getattr(settings, name), key=f"{name}_{form}")

    with place.popover("Backup schedule", icon=":material/schedule:"):
        settings_form(BackupSettings, fields, "backup_error")
    show_message("backup_error")
