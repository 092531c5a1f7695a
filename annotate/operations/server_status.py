"""The state of the server for its admins: sizes, the queue, jobs, backups, memory, versions, and what needs care."""

import platform
import shutil
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

import db.articles
import db.jobs
import db.operations.counts
import db.review.assignments
import db.review.progress
import db.rows
import db.team.people
from annotate.articles.importing.wrongly_split import is_any_split_wrongly
from annotate.jobs import lifecycle
from annotate.operations.backup_schedule import BackupSettings, archives, last_backups, why_not_due
from annotate.operations.model_files import serving_notice
from annotate.operations.startup_checks import SPLIT_REMEDY, SPLIT_SOME, WAL_REMEDY, network_file_system
from annotate.project.acting import lasting_now
from annotate.project.home import database, home, read
from annotate.project.release import release
from annotate.project.stored_settings import settings_now
from annotate.proposing.encoder_versions import proposing_version
from annotate.review.assignments import clock_of
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import standing
from db.operations.counts import DatabaseFacts
from db.tables import Job
from db.values import JobState

# Uploads are refused below this, and the database must still be able to grow.
FREE_BYTES = 2_000_000_000
LOGIN_SECONDS = 3600
PACKAGES = ("streamlit", "sentence-transformers", "torch", "transformers", "sqlalchemy")
# A scheduled backup may be late by this much before anybody is told: it waits for a machine that was switched off.
LATE = 1.5


@dataclass(frozen=True, slots=True)
class Backups:
    """The newest archive in the data folder, the job that made it, the failure since, and what all of them weigh."""

    newest: Path | None
    made: Job | None
    failed: Job | None
    age_hours: float | None
    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """Everything that the status page shows. `warnings` name each problem and its remedy."""

    articles: int
    sentences: int
    verdicts: int
    waiting: int
    leased: int
    logged_in: int
    wrong_passwords: int
    database: DatabaseFacts
    free_bytes: int
    memory_bytes: int
    serving: str
    versions: dict[str, str]
    jobs: dict[str, int]
    active: list[Job]
    failed: Job | None
    backups: Backups
    warnings: list[str]


def server_status() -> ServerStatus:
    """How the server stands now: from rows, counts and the operating system, without reading a model's files."""
    lifecycle.reap()
    serving = proposing_version()
    address = database()
    with read() as session:
        totals = db.articles.totals(session)
        settings = settings_now(session, QueueSettings)
        clock = clock_of(settings)
        facts = db.operations.counts.facts(session, address)
        backups = _backups(*last_backups(session))
        found = standing(session, 0, settings, clock)
        leased = {row.article_id for row, _, _ in db.review.assignments.leases(session, clock)}
        status = ServerStatus(
            articles=totals["articles"],
            sentences=totals["sentences"],
            verdicts=db.review.progress.count_verdicts(session),
            # An assigned article waits, too, until the person whom it was assigned to opens it.
            waiting=len(found.waiting) + len({*found.held} - leased),
            leased=len(leased),
            logged_in=len({login.account_id for login in db.team.people.logins(session, lasting_now())}),
            wrong_passwords=db.team.people.failed_attempts(session, since=time.time() - LOGIN_SECONDS),
            database=facts,
            free_bytes=shutil.disk_usage(home()).free,
            memory_bytes=psutil.Process().memory_info().rss,
            serving=serving.name,
            versions=versions(),
            jobs=dict.fromkeys(db.jobs.ACTIVE, 0) | db.operations.counts.jobs_by_state(session),
            active=list(db.jobs.active(session)),
            failed=next((job for job in db.rows.latest(session, Job, limit=50) if job.state == JobState.FAILED), None),
            backups=backups,
            warnings=[],
        )
        schedule = settings_now(session, BackupSettings)
        notice = serving_notice(session)
        too_few = is_any_split_wrongly(session)
    if notice:
        status.warnings.append(notice)
    if status.free_bytes < FREE_BYTES:
        free = f"{status.free_bytes / 1e9:.1f} GB"
        status.warnings.append(f"Only {free} of disk space are free: uploads are refused, and backups will fail.")
    if facts.wal_refused:
        status.warnings.append(WAL_REMEDY)
    if isinstance(address, Path) and (kind := network_file_system(address)):
        status.warnings.append(f"The data folder lies on a network file system ({kind}): move it to a local disk.")
    if too_few:
        status.warnings.append(f"{SPLIT_SOME} {SPLIT_REMEDY}")
    if isinstance(address, Path):
        status.warnings.extend(_of_backups(backups, schedule))
    return status


def _of_backups(backups: Backups, schedule: BackupSettings) -> list[str]:
    if backups.failed is not None:
        return [f"The last backup failed: {backups.failed.error}."]
    if not schedule.on:
        return ["Scheduled backups are off."]
    if backups.age_hours is None:
        why = why_not_due(datetime.now(UTC)) or "the first scheduled one begins ten minutes after the app was started"
        return [f"There is no backup yet: {why}."]
    if backups.age_hours > LATE * schedule.every_hours:
        return [
            f"The last backup is {backups.age_hours:,.0f} hours old: one was due {schedule.every_hours} h after it."
        ]
    return []


def _backups(made: Job | None, failed: Job | None) -> Backups:
    found = archives()
    age = None
    if found and made is not None:
        # Never negative: a clock that was set back makes the last backup one of the future.
        age = max(0.0, (datetime.now(UTC) - datetime.fromisoformat(made.created_at)).total_seconds() / 3600)
    sizes = sum(path.stat().st_size for path in found)
    return Backups(found[-1] if found else None, made, failed, age, len(found), sizes)


def versions() -> dict[str, str]:
    """Versions of Keyline, Python and the packages that matter, by their metadata: torch is not imported."""
    found = {"Keyline": release(), "Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
