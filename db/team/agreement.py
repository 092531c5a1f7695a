"""Verdicts of several annotators on the same articles, and the decisions there: one function a query."""

from collections.abc import Collection

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.base import tuples
from db.curation import rows_of_some
from db.review.past import of_several
from db.review.progress import without_relabelling
from db.review.verdicts import latest_verdicts, reading_in_full
from db.tables import Annotator, Assignment, Comment, Reading, Verdict
from db.values import Value, VerdictRole


def opinions(
    session: Session, article_ids: Collection[int] | None = None, *, without: Collection[int] = ()
) -> list[tuple[int, int, int, str, str, str, int, str]]:
    """(article id, sentence id, annotator id, role, value, origin, verdict id, time) of all current verdicts in
    articles of several annotators. Both roles count, withdrawn verdicts do not; of some articles or all. Oldest first.
    As if the verdicts in `without` had never been given.

    A verdict that only corrects labels after a decision keeps the earlier id: the judgement itself is the same.
    """
    given = [Verdict.id.not_in(without)] if without else []
    latest = latest_verdicts(Verdict.article_id.in_(of_several(article_ids)), *given, role=None)
    query = select(
        Verdict.article_id,
        Verdict.sentence_id,
        Verdict.annotator_id,
        Verdict.role,
        Verdict.value,
        Verdict.origin,
        Verdict.id,
        Verdict.stored_at,
    ).where(Verdict.id.in_(latest), Verdict.value != Value.WITHDRAWN)
    rows = tuples(session.execute(query.order_by(Verdict.id)))
    decided = {row[1]: row[6] for row in rows if row[3] == VerdictRole.ADJUDICATOR}
    later = {row[1] for row in rows if row[6] > decided.get(row[1], row[6])}
    if not later:
        return rows
    last = _last_judgement_ids(session, later)
    theirs = VerdictRole.ADJUDICATOR
    return [row if row[3] == theirs else (*row[:6], last.get(row[1:3], row[6]), row[7]) for row in rows]


def _last_judgement_ids(session: Session, sentence_ids: Collection[int]) -> dict[tuple[int, int], int]:
    """By (sentence id, annotator id): the id of the annotator's last verdict that was no mere correction of labels."""
    row = without_relabelling(Verdict.sentence_id.in_(sentence_ids), Verdict.role == VerdictRole.ANNOTATOR).c
    query = select(row.sentence_id, row.annotator_id, func.max(row.id)).group_by(row.sentence_id, row.annotator_id)
    return {(found[0], found[1]): found[2] for found in session.execute(query)}


def readers(
    session: Session, article_ids: Collection[int] | None = None, *, without: Collection[int] = ()
) -> list[tuple[int, int, str]]:
    """(article id, annotator id, time) of those who read one of these articles in full as it stands now. As if the
    readings in `without` had never been told."""
    query = reading_in_full(Reading.article_id, Reading.annotator_id, Reading.stored_at, without=without)
    rows = session.execute(query.where(Reading.article_id.in_(of_several(article_ids))))
    return tuples(rows)


def names(session: Session) -> dict[int, str]:
    """The annotators' names by id."""
    return dict(session.execute(select(Annotator.id, Annotator.name)).all())


def handed_to(
    session: Session, article_ids: Collection[int] | None = None, *, except_strategy: str | None = None
) -> set[tuple[int, int]]:
    """(article id, annotator id) of what was ever handed out, of some articles or all; what was handed out by one
    strategy is left out if that is named."""
    query = select(Assignment.article_id, Assignment.annotator_id).distinct()
    if article_ids is not None:
        query = query.where(Assignment.article_id.in_(article_ids))
    if except_strategy is not None:
        query = query.where(Assignment.strategy != except_strategy)
    return {(article_id, annotator_id) for article_id, annotator_id in session.execute(query)}


def last_verdicts(session: Session, article_id: int) -> dict[int, int]:
    """By sentence of an article: the id of the last verdict on it, of either role, withdrawn or not."""
    query = select(Verdict.sentence_id, func.max(Verdict.id)).where(Verdict.article_id == article_id)
    return dict(session.execute(query.group_by(Verdict.sentence_id)).all())


def comments_of(session: Session, event_ids: Collection[str]) -> dict[str, str]:
    """The texts of the comments with these event ids, by id."""
    return dict(rows_of_some(session, select(Comment.event_id, Comment.text), Comment.event_id, event_ids))
