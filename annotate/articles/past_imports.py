"""Past imports of articles: who asked for each, its files, and what became of them. Their jobs' rows hold it all."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.jobs
import db.rows
from annotate.articles.import_report import ImportOutcome, counted
from annotate.articles.parsing.entry import show_name
from annotate.project.acting import OPERATOR
from db.tables import Job
from db.values import JobState

KIND = "import"


@dataclass(frozen=True, slots=True)
class PastImport:
    """One import: when it was asked for and `by` whom, its files, how it ended in words, and (file, reason) of each
    entry that failed or deserves a look. `went_well` where nothing failed."""

    job_id: int
    at: str
    by: str
    files: tuple[str, ...]
    outcome: str
    went_well: bool
    failures: tuple[tuple[str, str], ...]
    warnings: tuple[tuple[str, str], ...]


def past_imports(session: Session, limit: int) -> list[PastImport]:
    """The newest imports that ended, the newest first."""
    ended = (job for job in db.rows.latest(session, Job, kind=KIND, limit=limit) if job.state not in db.jobs.ACTIVE)
    return [_told(job) for job in ended]


def _told(job: Job) -> PastImport:
    counts, left_out = job.result.get("counts", {}), job.result.get("left_out_by_the_filter", 0)
    told = counted(counts, left_out) if counts else ""
    if job.state != JobState.DONE:
        told = f"{job.state}{f', after {told}' if told else ''}{f': {job.error}' if job.error else ''}"
    by = job.asked_by or ""
    of_sample = bool(job.payload.get("sample")) and by in ("", OPERATOR.name)  # the command line's, which has no person
    return PastImport(
        job_id=job.id,
        at=job.created_at,
        by="the sample" if of_sample else by,
        files=files_of(job.payload),
        outcome=told,
        went_well=job.state == JobState.DONE and not counts.get(ImportOutcome.FAILED),
        failures=_pairs(job.result.get("failures", [])),
        warnings=_pairs(job.result.get("warnings", [])),
    )


def files_of(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """What an import took, by the names that people gave: never a folder of the machine."""
    names = payload.get("names", {})
    files = [show_name(names.get(path, Path(path).name)) for path in payload.get("paths", [])]
    if count := len(payload.get("identifiers") or []):
        files.append(f"{count:,} identifiers from Europe PMC")
    if payload.get("sample"):
        files.append("the sample corpus")
    return tuple(files)


def _pairs(entries: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((source, reason) for source, reason in entries)
