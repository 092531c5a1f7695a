"""The events that a receiver is told: rows that were stored since, as events in the order in which they happened."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any

from sqlalchemy.orm import Session

from annotate.webhook.webhook_progress import Progress
from annotate.webhook.webhook_settings import WebhookSettings
from db.base import stamp
from db.registry import ROLLED_BACK
from db.team.webhook_rows import (
    ADDED,
    ENDING,
    Restoration,
    Row,
    added,
    ended,
    given_up,
    ids_after,
    newest_ids,
    restorations,
    unended,
)

AT_ONCE = 50  # rows of a branch in one look
MOST_OPEN = 500  # jobs, or articles in people's hands, that a look waits for
LONG_AGO = timedelta(days=7)  # a lease that ended then is not taken up again
TEST = "test"


@dataclass(frozen=True, slots=True)
class Event:
    """One event: the id by which a receiver knows one that comes again, its name and its data."""

    id: str
    name: str
    at: str
    data: dict[str, Any]
    row: Row

    def body(self) -> dict[str, Any]:
        """The event as it is sent."""
        return {"id": self.id, "event": self.name, "at": self.at, "data": self.data}


def from_now_on(session: Session) -> Progress:
    """The progress that tells what happens from now on, the end of what has begun included."""
    begun = {branch: unended(session, branch, MOST_OPEN) for branch in ENDING}
    return Progress(after=newest_ids(session), open=begun)


def waiting(session: Session, progress: Progress) -> list[Event]:
    """The next events, the oldest first; takes into `progress` what begins now and what is never told."""
    newest = newest_ids(session)
    for branch, last in newest.items():  # a backup that was restored knows fewer rows
        progress.after[branch] = min(progress.after.get(branch, last), last)
    dated: list[tuple[str, Row]] = []
    known_until = []  # of a branch of which more waits, nothing is known beyond its last row
    for branch in ADDED:
        rows = added(session, branch, progress.after[branch], AT_ONCE)
        # Rows of a branch stay in the order of their ids, even if the clock was set.
        times = list(accumulate((row.at for row in rows), max))
        known_until += times[-1:] if len(rows) == AT_ONCE else []
        dated += zip(times, rows, strict=True)
    for branch in ENDING:
        dated += [(row.at, row) for row in ended(session, branch, _open(session, branch, progress))]
    horizon = min(known_until, default=None)
    rows = [row for at, row in sorted(dated, key=lambda each: each[0]) if horizon is None or at <= horizon]
    restored = restorations(session) if rows else []
    return [Event(_id(row, restored), _name(row), row.at, row.payload, row) for row in rows]


def _open(session: Session, branch: str, progress: Progress) -> Sequence[int]:
    """The rows of a branch that have not been told of, with those that began since."""
    known = progress.open.get(branch, [])
    if len(known) < MOST_OPEN:
        new = ids_after(session, branch, progress.after[branch], MOST_OPEN - len(known))
        progress.after[branch] = max([progress.after[branch], *new])
        known = [*known, *new]
    never = given_up(session, branch, known, stamp(datetime.now(UTC) - LONG_AGO))
    progress.open[branch] = [number for number in known if number not in never]
    return progress.open[branch]


def note_sent(progress: Progress, row: Row) -> None:
    """Notes in the progress that an event was taken, or is not wanted."""
    if row.branch in ENDING:
        progress.open[row.branch] = [number for number in progress.open[row.branch] if number != row.id]
    else:
        progress.after[row.branch] = row.id


def wanted(event: Event, settings: WebhookSettings) -> bool:
    """Whether the receiver is told such events."""
    return {
        "verdict": settings.verdicts,
        "reading": settings.articles,
        "assignment": settings.articles,
        "job": settings.jobs,
        "promotion": settings.versions,
        "snapshot": settings.gold,
    }[event.row.branch]


def _id(row: Row, restored: Sequence[Restoration]) -> str:
    """Of what came after a backup was restored, or ended after it was made, with the name of the restoration: another
    row with the same number, or another end of it, may have been told before."""
    for each in reversed(restored):
        if row.id > each.branches.get(row.branch, 0) or (row.branch in ENDING and row.at > each.made_at):
            return f"{row.branch}-{row.id}-{each.name}"
    return f"{row.branch}-{row.id}"


def _name(row: Row) -> str:
    if row.branch == "job":
        return "import.ended" if row.payload["kind"] == "import" else "job.ended"
    if row.branch == "promotion":
        return "version.rolled_back" if row.payload["reason"].startswith(ROLLED_BACK) else "version.promoted"
    if row.branch == "reading":
        return "article.read_in_full" if row.payload["in_full"] else "article.not_read_in_full"
    return {"verdict": "verdict.stored", "assignment": "article.finished", "snapshot": "gold.frozen"}[row.branch]


def test_event(by: str) -> Event:
    """One that tells nothing but that it arrives."""
    at = stamp(datetime.now(UTC))
    return Event(f"test-{at}", TEST, at, {"asked_by": by}, Row(TEST, 0, at, {}))
