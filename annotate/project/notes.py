"""Notes: events for the history that leave no append-only row of their own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

from sqlalchemy.orm import Session

import db.rows
from annotate.project import logs
from annotate.project.acting import current_actor
from db.engine import DATABASE_ERRORS, driver_words
from db.tables import HistoryEntry


class Noted(StrEnum):
    """Events that are noted because they leave no append-only row of their own."""

    LABELS = "labels"
    TAG = "tag"
    REMOVAL = "removal"
    EXPORT = "export"
    SNAPSHOT = "snapshot"
    ACCOUNT = "account"
    ROLE = "role"
    LOGIN = "login"
    REFUSED = "refused"
    BACKUP = "backup"
    RESTORE = "restore"
    SETTINGS = "settings"
    ENCODER = "encoder"
    IMPORT = "import"
    TOPIC = "topic"
    RANKER = "ranker"
    PRACTICE = "practice"
    PROPOSED = "proposed"


def note(session: Session, kind: str, summary: str, *, article_id: int | None = None, **details: Any) -> None:
    """Notes in the caller's transaction what the current actor did: a sentence for people, `details` for programs.

    Raises ValueError for an unknown kind.
    """
    if kind not in set(Noted):
        raise ValueError(f"kind is {kind!r}; it must be one of {', '.join(Noted)}")
    by = current_actor().name
    logs.event(str(kind), by=by, article=article_id)  # without the summary, which may quote people
    db.rows.add(
        session, HistoryEntry(kind=str(kind), done_by=by, article_id=article_id, summary=summary, details=details)
    )


@contextmanager
def after_writing(summary: dict[str, Any]) -> Iterator[None]:
    """For the note about a file that is whole: if the database cannot take it, `summary` says so."""
    try:
        yield
    except DATABASE_ERRORS as error:
        summary["not_noted_in_the_history"] = driver_words(error)


def note_each(
    session: Session, kind: Noted, summaries: Mapping[int, str], details: Mapping[int, dict[str, Any]] | None = None
) -> None:
    """Notes in the caller's transaction what the current actor did to many articles: a sentence for each and details
    for programs, by id."""
    who = current_actor().name
    if summaries:
        logs.event(str(kind), by=who, articles=len(summaries))
    rows = [
        {
            "kind": str(kind),
            "done_by": who,
            "article_id": article_id,
            "summary": summary,
            "details": (details or {}).get(article_id, {}),
        }
        for article_id, summary in summaries.items()
    ]
    db.rows.add_all(session, HistoryEntry, rows)
