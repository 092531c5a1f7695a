"""The sources of gold: verdicts on sentences, their texts, and the remarks on them. Frozen gold never changes."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, defer

from db.articles import SentenceText, sentences_where
from db.curation import kept
from db.review.verdicts import latest_comments, latest_verdicts
from db.tables import Annotator, Article, Comment, GoldSnapshot, Sentence, Verdict
from db.values import Value

# The ids of one statement: this stays below SQLite's limit on variables.
CHUNK = 500


def verdict_rows(
    session: Session, *, until: int | None = None, article_ids: Collection[int] | None = None
) -> Sequence[Any]:
    """Rows of the verdicts that are current, of annotators and adjudicators, withdrawn ones left out, oldest first.

    With the annotator's name and the sentence's position; as columns, since a verdict object each would take thrice
    as long. `until` is the last verdict that counts. Of some articles or all, of removed ones none.
    """
    conditions = [Verdict.id <= until] if until is not None else []
    if article_ids is not None:
        conditions.append(Verdict.article_id.in_(article_ids))
    of_verdict = ("value", "role", "origin", "rank", "cosine", "ranking", "version", "labels", "given_at")
    columns = (Verdict.id, Verdict.article_id, Verdict.sentence_id, Sentence.position, Annotator.name)
    return session.execute(
        select(*columns, *(getattr(Verdict, name) for name in of_verdict))
        .join(Annotator, Annotator.id == Verdict.annotator_id)
        .join(Sentence, Sentence.id == Verdict.sentence_id)
        .where(Verdict.id.in_(latest_verdicts(*conditions, role=None)), Verdict.value != Value.WITHDRAWN)
        .where(kept(Verdict.article_id))
        .order_by(Verdict.id)
    ).all()


def texts(session: Session, sentence_ids: Sequence[int]) -> dict[int, SentenceText]:
    """Some sentences with their texts by id; at most CHUNK."""
    return {one.id: one for one in sentences_where(session, Sentence.id.in_(sentence_ids))}


def has_comments(session: Session) -> bool:
    """Whether anybody ever commented."""
    return session.scalar(select(Comment.id).limit(1)) is not None


def remarks(session: Session, *, limit: int) -> tuple[int, Sequence[Any]]:
    """How many comments are current, and the newest: annotator, comment, title, sentence id (None: the article)."""
    current = (
        latest_comments(Annotator.name, Comment.text, Article.title, Comment.sentence_id)
        .join(Article, Article.id == Comment.article_id)
        .where(kept(Article.id))
    )
    rows = session.execute(current.order_by(Comment.id.desc()).limit(limit)).all()
    return session.scalar(select(func.count()).select_from(current.subquery())) or 0, rows


def articles_with_verdicts(session: Session, begin: int, limit: int, *, until: int) -> list[int]:
    """The ids of the first articles, from this one on, with a verdict up to `until`; in order."""
    query = select(Verdict.article_id).distinct().where(Verdict.article_id >= begin, Verdict.id <= until)
    query = query.where(kept(Verdict.article_id))
    return list(session.scalars(query.order_by(Verdict.article_id).limit(limit)))


def snapshots(session: Session, *, before: int | None = None, limit: int | None = None) -> Sequence[GoldSnapshot]:
    """The newest snapshots, the newest first, without their content: those before the one with this id, or all."""
    query = select(GoldSnapshot).order_by(GoldSnapshot.id.desc()).limit(limit)
    if before is not None:
        query = query.where(GoldSnapshot.id < before)
    return session.scalars(query.options(defer(GoldSnapshot.content, raiseload=True))).all()
