"""Assigning articles to a person: they come to that person next, and to no other person until then."""

import secrets
from collections.abc import Collection
from typing import Any

from sqlalchemy.orm import Session

import db.review.assignments
import db.review.verdicts
import db.rows
from annotate.curation.outcome import Kept, Outcome, batches, in_project, unwatched
from annotate.project.acting import current_actor
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.review.assignments import standing_of
from db.base import utc_now
from db.tables import Assignment, QueueRequest


def assign(article_ids: Collection[int], person: str, kept: Kept = unwatched) -> Outcome:
    """Assigns articles to a person, in this order. They come before all that the queue would choose.

    Left out are articles that they are done with or that are theirs already. Left out, too, are articles for which
    enough others are done, have them in hand or are to get them. `kept` is called in each batch's transaction. Raises
    ValueError for an unknown person.
    """
    outcome = Outcome(len(set(article_ids)))
    with read() as session:
        if db.review.verdicts.find_annotator(session, person) is None:
            raise ValueError(f"no person is called {person}")
    for batch in batches(article_ids):
        with write(Right.QUEUE) as session:  # in which nobody else assigns
            found = standing_of(session, person)
            number = db.review.verdicts.annotator_id(session, person)
            assigned = db.review.assignments.assigned(session, batch)
            reasons = {
                f"reviewed by {person}": found.done,
                "reviewed by others": found.elsewhere,
                f"with others than {person}": found.held,
                f"known to {person} from the practice round": found.practised,
                f"assigned to {person} already": [each for each, people in assigned.items() if number in people],
            }
            known = in_project(session, batch, outcome)
            for reason, of_all in reasons.items():
                left = set(known) & set(of_all)
                outcome.leave_out(reason, sorted(left))
                known = [each for each in known if each not in left]
            last = db.rows.last_id(session, Assignment)
            rows = [_row(each, number, last, wanted=True) for each in known]
            db.rows.add_all(session, QueueRequest, rows)
            outcome.done += known
            kept(session, outcome, batch)
    return outcome


def unassign(article_ids: Collection[int], kept: Kept = unwatched) -> Outcome:
    """Takes back the assignments of these articles; they wait for everybody again. Left out: unassigned ones."""
    outcome = Outcome(len(set(article_ids)))
    for batch in batches(article_ids):
        with write(Right.QUEUE) as session:
            assigned = db.review.assignments.assigned(session, batch)
            known = in_project(session, batch, outcome)
            last = db.rows.last_id(session, Assignment)
            rows = [
                _row(each, number, last, wanted=False) for each in known for number in sorted(assigned.get(each, ()))
            ]
            db.rows.add_all(session, QueueRequest, rows)
            outcome.leave_out("not assigned", [each for each in known if each not in assigned])
            outcome.done += [each for each in known if each in assigned]
            kept(session, outcome, batch)
    return outcome


def unassign_from(session: Session, annotator_id: int) -> None:
    """Takes back all that is assigned to somebody and was not handed to them."""
    last = db.rows.last_id(session, Assignment)
    theirs = [each for each, people in db.review.assignments.assigned(session).items() if annotator_id in people]
    rows = [_row(each, annotator_id, last, wanted=False) for each in theirs]
    db.rows.add_all(session, QueueRequest, rows)


def _row(article_id: int, annotator_id: int, last: int, *, wanted: bool) -> dict[str, Any]:
    return {
        "event_id": secrets.token_hex(16),
        "annotator_id": annotator_id,
        "article_id": article_id,
        "for_all": False,
        "wanted": wanted,
        "reason": "",
        "assignments_before": last,
        "given_at": utc_now(),
        "assigned_by": current_actor().name,
    }
