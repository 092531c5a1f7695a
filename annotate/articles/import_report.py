"""What an import did: counts by outcome, and what failed or deserves a look."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any

from sqlalchemy.orm import Session

import db.curation.removals
from db.tables import Article

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


def stays_removed(session: Session, article: Article | None) -> list[str]:
    """A note where a stored article was removed from the project: by whom, when, and why."""
    found = db.curation.removals.removals_of(session, [article.id]) if article else {}
    return [
        f"was removed by {row.done_by} on {row.done_at[:10]}{f' ({row.reason})' if row.reason else ''}: "
        "an import does not bring it back; Articles, Show: removed does"
        for row in found.values()
    ]


def counted(counts: Mapping[str, int], left_out: int = 0) -> str:
    """An import's counts by outcome in words, and how many its filter left out; where all failed, that first."""
    parts = [f"{count:,} {outcome}" for outcome, count in counts.items() if count]
    failed = counts.get(ImportOutcome.FAILED, 0)
    if not parts and left_out:
        return f"{left_out:,} read, none of which the filter lets through"
    if left_out:
        parts.append(f"{left_out:,} left out by the filter")
    told = ", ".join(parts)
    return f"nothing imported, {told}" if failed and failed == sum(counts.values()) else told or "nothing found"
