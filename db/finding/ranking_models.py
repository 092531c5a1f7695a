"""Versions of ranking models, and which of them serves its stage."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import RetrievalChoice, RetrievalModel


def models(session: Session) -> Sequence[RetrievalModel]:
    """All versions, oldest first."""
    return session.scalars(select(RetrievalModel).order_by(RetrievalModel.id)).all()


def model_named(session: Session, name: str) -> RetrievalModel | None:
    """The version with this name."""
    return session.scalars(select(RetrievalModel).where(RetrievalModel.name == name)).first()


def made_by(session: Session, job_id: int) -> RetrievalModel | None:
    """The version that a job has made."""
    return session.scalars(select(RetrievalModel).where(RetrievalModel.job_id == job_id)).first()


def insert_model(session: Session, **values: Any) -> RetrievalModel:
    """A new version; its id is set."""
    row = RetrievalModel(**values)
    session.add(row)
    session.flush()
    return row


def insert_choice(session: Session, stage: str, model_id: int | None, *, chosen_by: str) -> None:
    """Lets a version serve its stage from now on, or none."""
    session.add(RetrievalChoice(stage=stage, model_id=model_id, chosen_by=chosen_by))


def last_choice(session: Session, stage: str) -> RetrievalChoice | None:
    """The last choice that somebody made for a stage, of a version or of none; None where nobody has."""
    query = select(RetrievalChoice).where(RetrievalChoice.stage == stage).order_by(RetrievalChoice.id.desc())
    return session.scalars(query.limit(1)).first()


def chosen(session: Session) -> dict[str, RetrievalModel]:
    """The version that serves, by stage; stages that none serves are left out."""
    last: dict[str, int | None] = {}
    for stage, model_id in session.execute(
        select(RetrievalChoice.stage, RetrievalChoice.model_id).order_by(RetrievalChoice.id)
    ):
        last[stage] = model_id
    ids = [model_id for model_id in last.values() if model_id is not None]
    found = {row.id: row for row in session.scalars(select(RetrievalModel).where(RetrievalModel.id.in_(ids)))}
    return {stage: found[model_id] for stage, model_id in last.items() if model_id is not None}
