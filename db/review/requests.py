"""What people asked the queue for: articles that are to come next, to them or to everybody."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from db.base import tuples
from db.review.assignments import EXPIRED
from db.tables import Annotator, Assignment, QueueRequest
from db.values import BY_HAND


@dataclass(frozen=True, slots=True)
class Request:
    """A request that holds: which article, who asked, and why."""

    article_id: int
    by_id: int
    by: str
    reason: str


def last_assignment_id(session: Session) -> int:
    """The id of the last assignment of anybody; 0 where there was none."""
    return session.scalar(select(func.max(Assignment.id))) or 0


def _holding(annotator_id: int, *, own: bool) -> Select[int]:
    """The ids of the requests that hold for an annotator: their own, and unless these alone, those for all."""
    latest = select(func.max(QueueRequest.id)).group_by(QueueRequest.annotator_id, QueueRequest.article_id)
    whose = or_(QueueRequest.annotator_id == annotator_id, QueueRequest.for_all & (not own))
    return select(QueueRequest.id).where(QueueRequest.id.in_(latest), QueueRequest.wanted, whose)


def open_requests(
    session: Session, annotator_id: int, article_ids: Collection[int] | None = None, *, own: bool = False
) -> list[Request]:
    """What this annotator is to get next, in the order in which it was asked for: requests of theirs and, unless `own`
    ones alone, for all, but for articles that they were handed since. One that they merely opened by its address, and
    left, was not handed."""
    met = (
        select(Assignment.id)
        .where(
            Assignment.article_id == QueueRequest.article_id,
            Assignment.annotator_id == annotator_id,
            Assignment.id > QueueRequest.assignments_before,
            or_(Assignment.strategy != BY_HAND, Assignment.ending.is_(None), Assignment.ending != EXPIRED),
        )
        .exists()
    )
    query = (
        select(QueueRequest.article_id, QueueRequest.annotator_id, Annotator.name, QueueRequest.reason)
        .join(Annotator, Annotator.id == QueueRequest.annotator_id)
        .where(QueueRequest.id.in_(_holding(annotator_id, own=own)), ~met)
        .order_by(QueueRequest.id)
    )
    found: dict[int, Request] = {}
    for article_id, by_id, by, reason in tuples(session.execute(query)):
        if article_ids is None or article_id in article_ids:
            found.setdefault(article_id, Request(article_id, by_id, by, reason))
    return list(found.values())
