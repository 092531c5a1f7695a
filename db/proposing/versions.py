"""Encoders, their training runs and evaluations."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session, defer

import db.registry
import db.rows
from db.tables import Article, ArticleScore, Evaluation, ModelVersion, TrainingRun
from db.values import Kind, Split


def versions(session: Session) -> Sequence[ModelVersion]:
    """All encoders, oldest first."""
    return db.registry.versions(session, Kind.ENCODER)


def version(session: Session, version_id: int) -> ModelVersion | None:
    """The version with this id."""
    return db.rows.get(session, ModelVersion, version_id)


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


def insert_run(session: Session, **values: Any) -> None:
    """Records the labels and settings that a version was trained with."""
    session.add(TrainingRun(**values))


def made_by(session: Session, job_id: int) -> ModelVersion | None:
    """The version that a training job has made."""
    query = select(ModelVersion).join(TrainingRun, TrainingRun.child_id == ModelVersion.id)
    return session.scalars(query.where(TrainingRun.job_id == job_id)).first()


def runs(session: Session) -> Sequence[tuple[TrainingRun, str]]:
    """(training run, name of the version that it made), oldest first; the curves are left in the database."""
    return session.execute(
        select(TrainingRun, ModelVersion.name)
        .join(ModelVersion, ModelVersion.id == TrainingRun.child_id)
        .order_by(TrainingRun.id)
        .options(defer(TrainingRun.history, raiseload=True))
    ).all()


def run_of(session: Session, child_id: int) -> TrainingRun | None:
    """The training run that made a version; None for a version that was not fine-tuned here."""
    return session.scalars(select(TrainingRun).where(TrainingRun.child_id == child_id)).first()


def insert_evaluation(session: Session, scores: Sequence[dict[str, Any]], **values: Any) -> int:
    """Stores an evaluation with its article scores; returns its id."""
    row = Evaluation(**values)
    session.add(row)
    session.flush()
    if scores:
        session.execute(insert(ArticleScore), [{"evaluation_id": row.id, **score} for score in scores])
    return row.id


def latest_evaluation(
    session: Session, version_id: int, ranking: str, split: str, label_set_sha256: str | None = None
) -> Evaluation | None:
    """The newest evaluation of a version with this ranking on this split, under this label set if given."""
    query = select(Evaluation).where(
        Evaluation.version_id == version_id, Evaluation.ranking == ranking, Evaluation.split == split
    )
    if label_set_sha256 is not None:
        query = query.where(Evaluation.label_set_sha256 == label_set_sha256)
    return session.scalars(query.order_by(Evaluation.id.desc()).limit(1)).first()


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
