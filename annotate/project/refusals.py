"""What a person was refused: noted in a transaction of its own, since the one of the attempt is rolled back."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sqlalchemy.orm import Session

import db.rows
import db.team.people
from annotate.project.acting import Actor, acting, current_actor
from annotate.project.home import read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from db.base import stamp
from db.engine import DATABASE_ERRORS
from db.tables import Account

# The same words are noted once a minute: a thousand attempts must not fill the disk.
ONCE_IN = timedelta(minutes=1)
# The limit for different words: new words at each attempt must not fill it either.
MOST_IN = 20
MAX_WORDS = 300


def note_refusal(reason: object) -> None:
    """Notes that the current actor was refused something, and why. A database that is away is no second error."""
    actor, words = current_actor(), str(reason)[:MAX_WORDS]
    with suppress(*DATABASE_ERRORS), acting(replace(actor, operator=True)):
        with read() as session:  # a thousand wrong tokens must not hold up those who save
            if not _is_news(session, actor, words):
                return
        with write(Right.SYSTEM) as session:
            if _is_news(session, actor, words):
                note(session, Noted.REFUSED, words, account=actor.account_id)


def _is_news(session: Session, actor: Actor, words: str) -> bool:
    if actor.account_id and db.rows.get(session, Account, actor.account_id) is None:
        return False  # erased, with a page that is still open
    since = stamp(datetime.now(UTC) - ONCE_IN)
    known = db.team.people.summaries_since(session, Noted.REFUSED, actor.name, since)
    return words not in known and len(known) < MOST_IN
