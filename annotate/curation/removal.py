"""Removing articles from the project, and taking them back: both are events, and nothing is deleted.

A removed article leaves the queue, searches, training, evaluation and exports. Its text, its split and all that was
said of it stay stored, and count again once it is taken back. What was frozen or measured before stays as it was.
"""

from collections.abc import Collection
from typing import Any

import db.articles
import db.curation
import db.review.assignments
import db.review.verdicts
import db.rows
from annotate.articles.document_labels import plain_name
from annotate.curation.outcome import UNKNOWN, Kept, Outcome, batches, in_project, unwatched
from annotate.project.acting import current_actor
from annotate.project.home import read, write
from annotate.project.notes import Noted, note_each
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from annotate.project.words import count_of
from annotate.review.assignments import clock_of
from annotate.review.queue_settings import QueueSettings
from db.tables import ArticleRemoval

MAX_REASON = 200


def remove(article_ids: Collection[int], reason: str = "", kept: Kept = unwatched) -> Outcome:
    """Removes articles. Left out: those removed before, and those that somebody has in hand, who would lose their
    place. `kept` is called in each batch's transaction. Raises ValueError for a reason above MAX_REASON characters."""
    why = plain_name(reason)
    if len(why) > MAX_REASON:
        raise ValueError(f"a reason has at most {MAX_REASON} characters")
    outcome = Outcome(len(set(article_ids)))
    for batch in batches(article_ids):
        with write(Right.REMOVE) as session:
            known = in_project(session, batch, outcome)
            clock = clock_of(settings_now(session, QueueSettings))
            held = {row.article_id: name for row, name, _ in db.review.assignments.leases(session, clock)}
            for name in sorted({held[number] for number in known if number in held}):
                outcome.leave_out(f"held by {name}", [n for n in known if held.get(n) == name])
            leaving = [number for number in known if number not in held]
            db.rows.add_all(session, ArticleRemoval, [_row(number, True, why) for number in leaving])
            summary = f"removed: {why}" if why else "removed"
            note_each(session, Noted.REMOVAL, dict.fromkeys(leaving, summary))
            outcome.done += leaving
            kept(session, outcome, batch)
    return outcome


def take_back(article_ids: Collection[int], kept: Kept = unwatched) -> Outcome:
    """Takes removed articles back into the project, with all that was said of them. Left out: those that are in."""
    outcome = Outcome(len(set(article_ids)))
    for batch in batches(article_ids):
        with write(Right.REMOVE) as session:
            stored = db.articles.titles(session, batch)
            gone = db.curation.removals_of(session, batch)
            back = [number for number in batch if number in gone]
            outcome.leave_out(UNKNOWN, [number for number in batch if number not in stored])
            outcome.leave_out("in the project", [n for n in batch if n in stored and n not in gone])
            db.rows.add_all(session, ArticleRemoval, [_row(number, False, "") for number in back])
            note_each(session, Noted.REMOVAL, dict.fromkeys(back, "restored"))
            outcome.done += back
            kept(session, outcome, batch)
    return outcome


def kept_of(article_ids: Collection[int]) -> str:
    """In words, what experts said of these articles, which a removal keeps; empty where nothing."""
    with read() as session:
        judged = [
            count
            for batch in batches(article_ids)
            for count in db.review.verdicts.verdict_counts(session, batch).values()
        ]
    if not judged:
        return ""
    sentences, articles = count_of(sum(judged), "judged sentence"), count_of(len(judged), "article")
    return f"Kept, to come back with them: {sentences} in {articles}."


def _row(article_id: int, removed: bool, reason: str) -> dict[str, Any]:
    return {"article_id": article_id, "removed": removed, "reason": reason, "done_by": current_actor().name}
