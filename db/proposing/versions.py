"""Encoders, how they were trained, and their evaluations."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

import db.registry
import db.rows
from db.tables import Article, ArticleScore, Evaluation, ModelVersion
from db.values import Kind, Split


def versions(session: Session) -> Sequence[ModelVersion]:
    """All encoders, oldest first."""
    return db.registry.versions(session, Kind.ENCODER)


def version_named(session: Session, name: str) -> ModelVersion | None:
    """The encoder with this name."""
    return db.registry.version_named(session, name, Kind.ENCODER)


def promoted(session: Session) -> ModelVersion | None:
    """The version that proposes: the encoder that was promoted last."""
    return db.registry.promoted(session, Kind.ENCODER)


def tried_against(session: Session, serving_id: int, candidate_id: int) -> int:
    """How many versions were measured on the test articles since this one proposes, the candidate among them.

    Counted by ids, since a clock can be set back: those that are newer than the proposing version.
    """
    newer = select(Evaluation.version_id).where(
        Evaluation.split == Split.TEST, Evaluation.version_id > serving_id, Evaluation.version_id != candidate_id
    )
    return 1 + (session.scalar(select(func.count()).select_from(newer.distinct().subquery())) or 0)


def fine_tuned(session: Session) -> Sequence[ModelVersion]:
    """The encoders that were fine-tuned here, oldest first."""
    return [version for version in versions(session) if "label_set_sha256" in version.trained_on]


def curve(session: Session, version_id: int) -> list[Any]:
    """The curve of the training that made a version; empty where none did."""
    found: list[Any] = session.scalars(select(ModelVersion.history).where(ModelVersion.id == version_id)).one()
    return found


def insert_evaluation(session: Session, scores: Sequence[dict[str, Any]], **values: Any) -> int:
    """Stores an evaluation with its article scores; returns its id."""
    number = db.rows.add(session, Evaluation(**values)).id
    db.rows.add_all(session, ArticleScore, [{"evaluation_id": number, **score} for score in scores])
    return number


def latest_evaluation(
    session: Session, version_id: int, ranking: str, split: str, label_set_sha256: str | None = None
) -> Evaluation | None:
    """The newest evaluation of a version with this ranking on this split, under this label set if given."""
    under = {"label_set_sha256": label_set_sha256} if label_set_sha256 is not None else {}
    return db.rows.find(session, Evaluation, version_id=version_id, ranking=ranking, split=split, **under)


def count_scores(session: Session, evaluation_id: int) -> int:
    """Over how many articles an evaluation is."""
    query = select(func.count()).select_from(ArticleScore).where(ArticleScore.evaluation_id == evaluation_id)
    return session.scalar(query) or 0


def article_scores(session: Session, evaluation_id: int) -> Sequence[tuple[ArticleScore, Article]]:
    """(score, article) of an evaluation, worst first."""
    return session.execute(
        select(ArticleScore, Article)
        .join(Article, Article.id == ArticleScore.article_id)
        .where(ArticleScore.evaluation_id == evaluation_id)
        .order_by(ArticleScore.r_precision, Article.id)
    ).all()
