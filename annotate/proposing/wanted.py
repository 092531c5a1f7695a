"""Sentences that somebody proposed: they stand among an article's first proposals under every ranking."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy.orm import Session

import db.team.history
from annotate.project.notes import Noted


def wanted_of(session: Session, article_ids: Collection[int]) -> dict[int, dict[int, dict[str, str]]]:
    """By article and position, who proposed a sentence and why, oldest first; of articles without any nothing."""
    found: dict[int, dict[int, dict[str, str]]] = {}
    for entry in db.team.history.entries_of(session, Noted.PROPOSED, article_ids):
        if entry.article_id is not None:
            by_position = found.setdefault(entry.article_id, {})
            by_position.setdefault(entry.details["sentence"], {})[entry.done_by] = entry.details["why"]
    return found


def raised(rows: Sequence[dict[str, Any]], wanted: Sequence[bool], k: int) -> tuple[list[dict[str, Any]], int]:
    """The rows of proposals with the wanted ones right behind the k that are shown at first, and how many these are
    then. `wanted`: which of the rows are."""
    marked = list(zip(rows, wanted, strict=True))
    more = [row for row, is_wanted in marked[k:] if is_wanted]
    rest = [row for row, is_wanted in marked[k:] if not is_wanted]
    ordered = [*rows[:k], *more, *rest]
    return [{**row, "rank": rank} for rank, row in enumerate(ordered, start=1)], min(k, len(rows)) + len(more)
