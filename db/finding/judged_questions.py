"""All questions and verdicts of people, from which trained stages learn."""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.base import tuples
from db.tables import Relevance, StoredQuestion


def asked(session: Session, *, limit: int) -> list[dict[str, Any]]:
    """What people asked last, the same question once, the latest first."""
    latest = select(func.max(StoredQuestion.id)).group_by(StoredQuestion.sha256)
    query = select(StoredQuestion.question).where(StoredQuestion.id.in_(latest)).order_by(StoredQuestion.id.desc())
    return list(session.scalars(query.limit(limit)))


def verdicts(session: Session) -> list[tuple[int, dict[str, Any], str, int]]:
    """(question id, question, article key, grade) of what holds: the last of each person; what was taken back is left
    out."""
    latest = select(func.max(Relevance.id)).group_by(
        Relevance.question_id, Relevance.annotator_id, Relevance.article_key
    )
    query = (
        select(StoredQuestion.id, StoredQuestion.question, Relevance.article_key, Relevance.grade)
        .join(StoredQuestion, StoredQuestion.id == Relevance.question_id)
        .where(Relevance.id.in_(latest), Relevance.grade.is_not(None))
        .order_by(Relevance.id)
    )
    return tuples(session.execute(query))
