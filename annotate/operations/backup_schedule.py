"""Backups that begin by themselves: how often, how many are kept, and the job that writes one."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import Field
from sqlalchemy.orm import Session

import db.articles
import db.jobs
import db.rows
from annotate.jobs import lifecycle
from annotate.jobs.monitor import Monitor
from annotate.operations.backup import DamagedBackup, write_backup
from annotate.project.home import database, folder, read, write
from annotate.project.notes import note
from annotate.project.own_database import BACKUPS
from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings, settings_now
from db.engine import DATABASE_ERRORS
from db.operations.restoring import DamagedCopy
from db.tables import Job
from db.values import JobState
from model.checked_settings import checked

KIND = "backup"
# A backup that failed or was cancelled is tried again after this, not every minute.
RETRY = timedelta(hours=1)
# A backup never takes the space that the database and the uploads still need.
SPARE_BYTES = 3_000_000_000
_ARCHIVE = re.compile(r"keyline-(\d{6,})-\w+\.tar")


@checked
class BackupSettings(StoredSettings):
    """Whether backups begin by themselves, how many hours lie between them, and how many archives are kept."""

    NAME = "backup"
    RIGHT = Right.OPERATE

    on: bool = True
    every_hours: int = Field(default=24, ge=1, le=24 * 31)
    keep: int = Field(default=7, ge=1, le=1_000)


def archives() -> list[Path]:
    """The archives in the data folder, oldest first: by their numbers, since a clock may be set."""
    return [path for _, path in sorted(_numbered())]


def _numbered() -> list[tuple[int, Path]]:
    found = ((_ARCHIVE.fullmatch(path.name), path) for path in folder(BACKUPS).iterdir())
    return [(int(match[1]), path) for match, path in found if match]


def why_not_due(now: datetime) -> str | None:
    """What the next scheduled backup waits for; None where it is due.

    A backup of the future was made before the clock was set back: it counts as none, once, since the next one is then
    the last.
    """
    if not isinstance(database(), Path):
        return "PostgreSQL is backed up by its own tool"
    with read() as session:
        settings = settings_now(session, BackupSettings)
        last = db.rows.find(session, Job, kind=KIND)
        done = db.rows.find(session, Job, kind=KIND, state=JobState.DONE)
        empty = not db.articles.text_mark(session)[0]
    if not settings.on:
        return "scheduled backups are off"
    if last is None:
        return "there is nothing to back up yet" if empty else None
    if last.state in db.jobs.ACTIVE:
        return "a backup is running"
    every = timedelta(hours=settings.every_hours)
    ends = [
        end
        for job, wait in ((done, every), (last, min(RETRY, every)))
        if job is not None and now < (end := datetime.fromisoformat(job.created_at) + wait) <= now + wait
    ]
    return f"due at {max(ends).isoformat(timespec='minutes')}" if ends else None


def tick(now: datetime) -> int | None:
    """Begins a backup where one is due; returns the job's id, else None."""
    lifecycle.reap()
    return None if why_not_due(now) else lifecycle.start_if_none_runs(KIND, {"scheduled": True})


def back_up_project(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Writes an archive into the data folder, then removes those beyond the number to keep, the oldest first.

    Older ones go only after the new one was read again and found sound. A failure is noted, where it can be.
    """
    monitor.report("starting")
    number = max((number for number, _ in _numbered()), default=0) + 1
    target = folder(BACKUPS) / f"keyline-{number:06d}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.tar"
    try:
        manifest = write_backup(target, spare_bytes=SPARE_BYTES, report=monitor.proceed)
    except (OSError, DamagedCopy, DamagedBackup, *DATABASE_ERRORS) as error:
        with suppress(*DATABASE_ERRORS), write(Right.OPERATE) as session:
            note(session, "backup", f"Backup failed: {error}")
        raise
    with read() as session:
        settings = settings_now(session, BackupSettings)
    removed = archives()[: -settings.keep]
    for path in removed:
        path.unlink(missing_ok=True)
    result = summary_of(manifest, target)
    with write(Right.OPERATE) as session:
        note(session, "backup", f"Backed up to {target.name}", **result, removed=[path.name for path in removed])
    return result


def summary_of(manifest: dict[str, Any], target: Path) -> dict[str, Any]:
    """The summary of a backup, as the history and the log show it."""
    return {
        "file": target.name,
        "bytes": manifest["bytes"],
        "seconds": manifest["seconds"],
        "files": len(manifest["files"]),
        "left_out": manifest["left_out"],
    }


def last_backups(session: Session) -> tuple[Job | None, Job | None]:
    """The newest backup job that was done, and the newest that failed since then."""
    done = failed = None
    for job in db.rows.latest(session, Job, kind=KIND, limit=100):
        if job.state == JobState.DONE:
            done = job
            break
        if job.state == JobState.FAILED and failed is None:
            failed = job
    return done, failed
