"""What imports did: counts by outcome, what failed or deserves a look, and who asked for each past one."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.curation
import db.jobs
import db.rows
from annotate.articles.parsing.entry import show_name
from annotate.project.acting import OPERATOR
from db.tables import Job
from db.values import JobState

# A report of a whole baseline file stays readable; the counts are always complete.
REPORTED_ENTRIES = 1_000


class ImportOutcome(StrEnum):
    """What became of one entry of an import."""

    STORED = "stored"
    FULL_TEXT_ADDED = "full text added"
    ALREADY_THERE = "already there"
    FAILED = "failed"


@dataclass
class ImportReport:
    """Counts by outcome, and (source, reason) of failures and of cases to check."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[tuple[str, str]] = field(default_factory=list)

    def add(self, source: str, outcome: ImportOutcome, notes: Iterable[str] = ()) -> None:
        """Counts one entry and keeps its notes, up to a readable number."""
        self.counts[outcome] += 1
        kept = self.failures if outcome is ImportOutcome.FAILED else self.warnings
        kept.extend((source, note) for note in islice(notes, max(0, REPORTED_ENTRIES - len(kept))))

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-able values."""
        return {
            "counts": {str(outcome): self.counts[outcome] for outcome in ImportOutcome},
            "failures": [list(entry) for entry in self.failures],
            "warnings": [list(entry) for entry in self.warnings],
        }


def stays_removed(session: Session, article_ids: Collection[int]) -> dict[int, str]:
    """A note for each of these articles that was removed from the project: by whom, when, and why."""
    return {
        article_id: f"was removed by {row.done_by} on {row.done_at[:10]}{f' ({row.reason})' if row.reason else ''}: "
        "an import does not restore it; Articles, Show: removed does"
        for article_id, row in db.curation.removals_of(session, article_ids).items()
    }


def counted(counts: Mapping[str, int], left_out: int = 0) -> str:
    """An import's counts by outcome in words, and how many its filter left out; where all failed, that first."""
    parts = [f"{count:,} {outcome}" for outcome, count in counts.items() if count]
    failed = counts.get(ImportOutcome.FAILED, 0)
    if not parts and left_out:
        return f"{left_out:,} read, none of which the filter lets through"
    if left_out:
        parts.append(f"{left_out:,} left out by the filter")
    words = ", ".join(parts)
    return f"nothing imported, {words}" if failed and failed == sum(counts.values()) else words or "nothing found"


KIND = "import"


@dataclass(frozen=True, slots=True)
class PastImport:
    """One import: when it was asked for, `by` whom, its files, and how it ended, in words. `failures` and `warnings`
    are (file, reason) of each entry that failed or deserves a look. `went_well` where nothing failed."""

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
    return [_past_import(job) for job in ended]


def _past_import(job: Job) -> PastImport:
    counts, left_out = job.result.get("counts", {}), job.result.get("left_out_by_the_filter", 0)
    words = counted(counts, left_out) if counts else ""
    if job.state != JobState.DONE:
        words = f"{job.state}{f', after {words}' if words else ''}{f': {job.error}' if job.error else ''}"
    by = job.asked_by or ""
    of_sample = bool(job.payload.get("sample")) and by in ("", OPERATOR.name)  # the command line's, which has no person
    return PastImport(
        job_id=job.id,
        at=job.created_at,
        by="the sample" if of_sample else by,
        files=files_of(job.payload),
        outcome=words,
        went_well=job.state == JobState.DONE and not counts.get(ImportOutcome.FAILED),
        failures=tuple((source, reason) for source, reason in job.result.get("failures", [])),
        warnings=tuple((source, reason) for source, reason in job.result.get("warnings", [])),
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
