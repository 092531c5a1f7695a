"""Backups that begin by themselves: how often, how many are kept, and the job that writes one."""

import re
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.jobs
import db.settings
from annotate import jobs
from annotate.acting import own_name
from annotate.backup import DamagedBackup, write_backup
from annotate.history import note
from annotate.home import database, folder, read, write
from annotate.jobs import Monitor
from annotate.rights import Right
from db.engine import DATABASE_ERRORS
from db.restoring import DamagedCopy
from db.tables import Job

NAME = "backup"
KIND = "backup"
# A backup that failed is tried again after this, not every minute.
RETRY = timedelta(hours=1)
# A backup never takes the space that the database and the uploads still need.
SPARE_BYTES = 3_000_000_000
_ARCHIVE = re.compile(r"keyline-(\d{6,})-\w+\.tar")


@dataclass(frozen=True, slots=True)
class BackupSettings:
    """Whether backups begin by themselves, how many hours lie between them, and how many archives are kept.

    Raises ValueError for a value out of bounds.
    """

    on: bool = True
    every_hours: int = 24
    keep: int = 7

    def __post_init__(self) -> None:
        if not isinstance(self.on, bool):
            raise ValueError(f"on is {self.on!r}; it must be True or False")
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ValueError(f"{name} is {value!r}; it must be a whole number from {low} to {high}")


BOUNDS = {"every_hours": (1, 24 * 31), "keep": (1, 1_000)}


def backup_settings(session: Session) -> BackupSettings:
    """What holds now; a stored value that this release does not take gives way to the default."""
    stored = db.settings.latest_setting(session, NAME)
    made = BackupSettings()
    for each in fields(BackupSettings):
        if stored is not None and each.name in stored.content:
            with suppress(ValueError):
                made = replace(made, **{each.name: stored.content[each.name]})
    return made


def change_backup_settings(by: str, settings: BackupSettings) -> None:
    """Makes this the schedule from now on; one that holds already is not stored again."""
    with write(Right.OPERATE) as session:
        if backup_settings(session) != settings:
            db.settings.insert_setting(session, NAME, asdict(settings), changed_by=own_name(by))


def archives() -> list[Path]:
    """The archives in the data folder, oldest first: by their numbers, since a clock may be set."""
    found = [(int(match[1]), path) for path in folder("backups").iterdir() if (match := _ARCHIVE.fullmatch(path.name))]
    return [path for _, path in sorted(found)]


def why_not_due(now: datetime) -> str | None:
    """What the next scheduled backup waits for; None where it is due.

    A last backup of the future was made before the clock was set back: it counts as none, once, since the next one
    is then the last.
    """
    if not isinstance(database(), Path):
        return "PostgreSQL is backed up by its own tool"
    with read() as session:
        settings = backup_settings(session)
        last = db.jobs.latest(session, KIND)
        empty = not db.articles.count_articles(session)
    if not settings.on:
        return "scheduled backups are off"
    if last is None:
        return "there is nothing to back up yet" if empty else None
    if last.state in db.jobs.ACTIVE:
        return "a backup is running"
    wait = min(RETRY, _interval(settings)) if last.state == "failed" else _interval(settings)
    due = datetime.fromisoformat(last.created_at) + wait
    return f"due at {due.isoformat(timespec='minutes')}" if now < due <= now + wait else None


def _interval(settings: BackupSettings) -> timedelta:
    return timedelta(hours=settings.every_hours)


def tick(now: datetime) -> int | None:
    """Begins a backup where one is due; returns the job's id, else None."""
    jobs.reap()
    if why_not_due(now):
        return None
    try:
        return jobs.start(KIND, {"scheduled": True})
    except jobs.AlreadyRunning:  # another process was faster
        return None


def back_up_project(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Writes an archive into the data folder, then removes those beyond the number to keep, the oldest first.

    Older ones go only after the new one was read again and found sound. A failure is noted, where it can be.
    """
    monitor.report("starting")
    place = folder("backups")
    for left in place.glob(".keyline-backup-*"):  # of a job that was killed; only one of this kind runs at a time
        shutil.rmtree(left, ignore_errors=True)

    def report(stage: str, done: int, total: int) -> None:
        monitor.report(stage, done, total)
        monitor.stop_if_cancelled()

    known = archives()
    number = int(_ARCHIVE.fullmatch(known[-1].name)[1]) + 1 if known else 1  # type: ignore[index]
    target = place / f"keyline-{number:06d}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.tar"
    try:
        manifest = write_backup(target, spare_bytes=SPARE_BYTES, report=report)
    except (OSError, DamagedCopy, DamagedBackup, *DATABASE_ERRORS) as error:
        with suppress(*DATABASE_ERRORS), write(Right.OPERATE) as session:
            note(session, "backup", f"Backup failed: {error}")
        raise
    with read() as session:
        settings = backup_settings(session)
    removed = archives()[: -settings.keep]
    for path in removed:
        path.unlink(missing_ok=True)
    result = summary_of(manifest, target)
    with write(Right.OPERATE) as session:
        note(session, "backup", f"Backed up to {target.name}", **result, removed=[path.name for path in removed])
    return result


def summary_of(manifest: dict[str, Any], target: Path) -> dict[str, Any]:
    """What is told of a backup that was made."""
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
    for job in db.jobs.of_kind(session, KIND):
        if job.state == "done":
            done = job
            break
        if job.state == "failed" and failed is None:
            failed = job
    return done, failed
