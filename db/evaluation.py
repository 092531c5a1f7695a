"""Evaluations of versions and what a report looks up, audit verdicts, and runs of experiments and simulations."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

import db.rows
from db.articles import sentences_at
from db.curation import rows_of_some
from db.tables import (
    Annotator,
    Article,
    ArticleScore,
    AuditVerdict,
    DocumentLabel,
    Evaluation,
    FinishedRun,
    Sentence,
)
from db.values import Split


def texts(session: Session, places: Collection[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """The sentences at some (article id, position); those that are no longer there are left out."""
    return {place: sentence.text for place, sentence in sentences_at(session, places).items()}


def terms(session: Session, kinds: Collection[str]) -> list[tuple[str, str, list[str]]]:
    """(kind, name, synonyms) of all document labels of these kinds."""
    rows = session.execute(
        select(DocumentLabel.kind, DocumentLabel.name, DocumentLabel.synonyms)
        .where(DocumentLabel.kind.in_(kinds))
        .order_by(DocumentLabel.id)
    )
    return [(row[0], row[1], list(row[2])) for row in rows]


def current_audits(session: Session) -> Sequence[tuple[AuditVerdict, str, int]]:
    """(audit verdict, annotator's name, sentence position), oldest first: each annotator's latest on each sentence.

    Withdrawn ones are left out.
    """
    latest = db.rows.latest_ids(AuditVerdict, AuditVerdict.annotator_id, AuditVerdict.sentence_id)
    return session.execute(
        select(AuditVerdict, Annotator.name, Sentence.position)
        .join(Annotator, Annotator.id == AuditVerdict.annotator_id)
        .join(Sentence, Sentence.id == AuditVerdict.sentence_id)
        .where(AuditVerdict.id.in_(latest), AuditVerdict.value != "")
        .order_by(AuditVerdict.id)
    ).all()


def tried_against(session: Session, serving_id: int, candidate_id: int) -> int:
    """How many versions that were made after the proposing one were measured on the test articles, with the candidate.

    Earlier versions are no tries: they are measured again whenever labels change.
    """
    newer = select(Evaluation.version_id).where(
        Evaluation.split == Split.TEST, Evaluation.version_id > serving_id, Evaluation.version_id != candidate_id
    )
    return 1 + (session.scalar(select(func.count()).select_from(newer.distinct().subquery())) or 0)


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


def article_scores(session: Session, evaluation_id: int) -> Sequence[tuple[ArticleScore, Article]]:
    """(score, article) of an evaluation, worst first."""
    return session.execute(
        select(ArticleScore, Article)
        .join(Article, Article.id == ArticleScore.article_id)
        .where(ArticleScore.evaluation_id == evaluation_id)
        .order_by(ArticleScore.r_precision, Article.id)
    ).all()


def insert_run(session: Session, kind: str, **values: Any) -> None:
    """Stores a finished run; one that the experiment has already stays as it is."""
    db.rows.add_new(session, FinishedRun, [{"kind": kind, **values}])


def runs_with_keys(session: Session, kind: str, keys: Collection[str]) -> dict[str, FinishedRun]:
    """The finished runs with these keys, of any experiment, the latest of each key."""
    rows = rows_of_some(session, _of(kind).order_by(FinishedRun.id), FinishedRun.key, keys)
    return {run.key: run for (run,) in rows}


def keys_of(session: Session, kind: str, experiment: str) -> set[str]:
    """The keys of an experiment's finished runs."""
    found = _of(kind).where(FinishedRun.experiment == experiment).with_only_columns(FinishedRun.key)
    return set(session.scalars(found))


def runs_of(session: Session, kind: str, experiment: str) -> Sequence[FinishedRun]:
    """The finished runs of an experiment, oldest first."""
    return session.scalars(_of(kind).where(FinishedRun.experiment == experiment).order_by(FinishedRun.id)).all()


def experiments(session: Session, kind: str) -> list[tuple[str, int, str]]:
    """(name, finished runs, time of the last one) of every experiment, the one that went on last first."""
    rows = session.execute(
        _of(kind)
        .with_only_columns(FinishedRun.experiment, func.count(), func.max(FinishedRun.created_at))
        .group_by(FinishedRun.experiment)
        .order_by(func.max(FinishedRun.id).desc())
    )
    return [(name, count, last) for name, count, last in rows]


def _of(kind: str) -> Select[FinishedRun]:
    return select(FinishedRun).where(FinishedRun.kind == kind)
