"""Undo, any time later: a new verdict that restores the one before, so that no row is ever removed."""

from sqlalchemy.orm import Session

import db.review.verdicts
import db.rows
import db.team.history
from annotate.project.acting import demand, own_name
from annotate.project.home import write
from annotate.project.rights import Right
from annotate.review.events import Refused
from annotate.review.verdicts import taken_over
from db.base import utc_now
from db.tables import Verdict
from db.values import Value, VerdictRole


def why_not_undo(session: Session, by: str, verdict_id: int) -> str | None:
    """Why this person cannot undo this verdict, in words; None where they can."""
    found = db.team.history.verdict(session, verdict_id)
    if found is None:
        return f"There is no verdict {verdict_id}."
    verdict, name = found
    if name != by:
        return f"It is {name}'s verdict; only {name} can undo it."
    if not db.team.history.is_current(session, verdict):
        return "It does not count any more: something else has been said since."
    if verdict.value == Value.WITHDRAWN and db.team.history.said_before(session, verdict) is None:
        return "Nothing was said before it."
    return None


def undo(by: str, verdict_id: int, event_id: str) -> None:
    """Takes a verdict of one's own back, while it counts: what this person had said before it counts again.

    An adjudicator's decision (needs that right) gives way to their own before it; where the one before was another's,
    or none, the sentence is undecided: no name stands for what that person did not decide. The same event again
    changes nothing. Raises Refused, saying why not.
    """
    with write(Right.REVIEW) as session:
        annotator_id = db.review.verdicts.annotator_id(session, own_name(by))
        found = db.team.history.verdict(session, verdict_id)
        stored = db.rows.find(session, Verdict, event_id=event_id)
        if stored and found:
            if (stored.annotator_id, stored.sentence_id) != (annotator_id, found[0].sentence_id):
                raise Refused("this event id was used for another event")
            return
        if reason := why_not_undo(session, by, verdict_id):
            raise Refused(reason)
        assert found is not None
        if found[0].role == VerdictRole.ADJUDICATOR:
            demand(session, Right.ADJUDICATE)
        db.rows.add_new(session, Verdict, [_restoring(session, found[0], event_id)])


def _restoring(session: Session, undone: Verdict, event_id: str) -> dict[str, object]:
    before = db.team.history.said_before(session, undone)
    if before is not None and before.annotator_id != undone.annotator_id:
        before = None
    return {
        "event_id": event_id,
        "annotator_id": undone.annotator_id,
        "article_id": undone.article_id,
        "sentence_id": undone.sentence_id,
        "given_at": utc_now(),
        "role": undone.role,
        "value": before.value if before else str(Value.WITHDRAWN),
        **taken_over(before or undone),
    }
