"""What people asked the queue for: articles that are to come next, to them or to everybody."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Select, or_, select
from sqlalchemy.orm import Session

import db.rows
from db.review.assignments import EXPIRED
from db.tables import Annotator, Assignment, QueueRequest
from db.values import BY_HAND


def _holding(annotator_id: int, *, own: bool) -> Select[int]:
    """The ids of the requests that hold for an annotator: their own, and unless these alone, those for all."""
    latest = db.rows.latest_ids(QueueRequest, QueueRequest.annotator_id, QueueRequest.article_id)
    whose = or_(QueueRequest.annotator_id == annotator_id, QueueRequest.for_all & (not own))
    return select(QueueRequest.id).where(QueueRequest.id.in_(latest), QueueRequest.wanted, whose)


def open_requests(
    session: Session, annotator_id: int, article_ids: Collection[int] | None = None, *, own: bool = False
) -> list[Any]:
    """What this annotator is to get next, in the order in which it was asked for: requests of theirs and, unless `own`
    ones alone, for all, but for articles that they were handed since. One that they merely opened by its address, and
    left, was not handed. Rows of article_id, annotator_id, name (of who asked), reason and assigned_by."""
    met = _met(Assignment.annotator_id == annotator_id)
    columns = (QueueRequest.article_id, QueueRequest.annotator_id, Annotator.name, QueueRequest.reason)
    query = (
        select(*columns, QueueRequest.assigned_by)
        .join(Annotator, Annotator.id == QueueRequest.annotator_id)
        .where(QueueRequest.id.in_(_holding(annotator_id, own=own)), ~met)
        .order_by(QueueRequest.id)
    )
    found: dict[int, Any] = {}
    for row in session.execute(query):
        if article_ids is None or row.article_id in article_ids:
            found.setdefault(row.article_id, row)
    return list(found.values())


def _met(whose: ColumnElement[bool]) -> ColumnElement[bool]:
    """The condition that the article of a request was handed out since."""
    return (
        select(Assignment.id)
        .where(
            Assignment.article_id == QueueRequest.article_id,
            whose,
            Assignment.id > QueueRequest.assignments_before,
            or_(Assignment.strategy != BY_HAND, Assignment.ending.is_(None), Assignment.ending != EXPIRED),
        )
        .exists()
    )


def assigned(session: Session, article_ids: Collection[int] | None = None) -> dict[int, set[int]]:
    """The annotators to whom each article, or each of these, is assigned and was not handed since, by article."""
    latest = db.rows.latest_ids(QueueRequest, QueueRequest.annotator_id, QueueRequest.article_id)
    if article_ids is not None:
        latest = latest.where(QueueRequest.article_id.in_(article_ids))
    query = select(QueueRequest.article_id, QueueRequest.annotator_id).where(
        QueueRequest.assigned_by.is_not(None),
        QueueRequest.wanted,
        QueueRequest.id.in_(latest),
        ~_met(Assignment.annotator_id == QueueRequest.annotator_id),
    )
    found: dict[int, set[int]] = defaultdict(set)
    for article_id, annotator_id in session.execute(query):
        found[article_id].add(annotator_id)
    return dict(found)
