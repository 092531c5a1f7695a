"""What somebody was refused: noted in a transaction of its own, because that of the attempt is rolled back."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import db.team.people
from annotate.project.acting import acting, current_actor
from annotate.project.home import write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from db.base import stamp
from db.engine import DATABASE_ERRORS

# The same words are noted once a minute: whoever tries a thousand times must not fill the disk.
ONCE_IN = timedelta(minutes=1)
# Nor whoever finds other words each time.
MOST_IN = 20
MAX_WORDS = 300


def note_refusal(reason: object) -> None:
    """Notes that the current actor was refused something, and why. A database that is away is no second error."""
    actor, words = current_actor(), str(reason)[:MAX_WORDS]
    since = stamp(datetime.now(UTC) - ONCE_IN)
    with suppress(*DATABASE_ERRORS), acting(replace(actor, operator=True)), write(Right.SYSTEM) as session:
        known = db.team.people.summaries_since(session, Noted.REFUSED, actor.name, since)
        if words not in known and len(known) < MOST_IN:
            note(session, Noted.REFUSED, words, account=actor.account_id)
