"""All verdicts in the order in which they were stored, a page at a time."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import Annotator, Sentence, Verdict


def verdicts_after(
    session: Session, after: int, limit: int, *, annotator: str | None = None, article_id: int | None = None
) -> Sequence[tuple[Verdict, str, int]]:
    """(verdict, name, position of the sentence) of the first with a higher id, by id: also what was taken back since
    and what adjudicators decided; of one person or article where that is given."""
    query = (
        select(Verdict, Annotator.name, Sentence.position)
        .join(Annotator, Annotator.id == Verdict.annotator_id)
        .join(Sentence, Sentence.id == Verdict.sentence_id)
        .where(Verdict.id > after)
        .order_by(Verdict.id)
        .limit(limit)
    )
    if annotator is not None:
        query = query.where(Annotator.name == annotator)
    if article_id is not None:
        query = query.where(Verdict.article_id == article_id)
    return [(row[0], row[1], row[2]) for row in session.execute(query)]
