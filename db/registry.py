"""The one registry of trained things: versions by kind, and which of them is in use."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import ModelVersion, Promotion
from db.values import Kind

# How the reason of a promotion begins that brings a version from before back: by a person, or by Keyline, since the
# files of the one in use are damaged.
ROLLED_BACK = "rolled back"
FELL_BACK = "damaged files: "


def versions(session: Session, *kinds: str) -> Sequence[ModelVersion]:
    """All versions of these kinds, or of all, oldest first."""
    query = select(ModelVersion).order_by(ModelVersion.id)
    return session.scalars(query.where(ModelVersion.kind.in_(kinds)) if kinds else query).all()


def version_named(session: Session, name: str, *kinds: str) -> ModelVersion | None:
    """The version with this name, where it is of one of these kinds, or of any."""
    query = select(ModelVersion).where(ModelVersion.name == name)
    return session.scalars(query.where(ModelVersion.kind.in_(kinds)) if kinds else query).first()


def made_by(session: Session, job_id: int, *kinds: str) -> ModelVersion | None:
    """The version of one of these kinds that a job has made."""
    query = select(ModelVersion).where(ModelVersion.job_id == job_id, ModelVersion.kind.in_(kinds))
    return session.scalars(query).first()


def promoted(session: Session, kind: str) -> ModelVersion | None:
    """The version that the last promotion of a kind names; None where it names none, and without any."""
    last = select(Promotion.version_id).where(Promotion.kind == kind).order_by(Promotion.id.desc()).limit(1)
    return session.scalars(select(ModelVersion).where(ModelVersion.id == last.scalar_subquery())).first()


def promotions(session: Session, kind: str) -> Sequence[tuple[Promotion, str | None]]:
    """(promotion, name of the version, None for none), latest first."""
    return session.execute(
        select(Promotion, ModelVersion.name)
        .outerjoin(ModelVersion, ModelVersion.id == Promotion.version_id)
        .where(Promotion.kind == kind)
        .order_by(Promotion.id.desc())
    ).all()


def encoders(session: Session) -> Sequence[ModelVersion]:
    """All encoders, oldest first."""
    return versions(session, Kind.ENCODER)


def encoder_named(session: Session, name: str) -> ModelVersion | None:
    """The encoder with this name."""
    return version_named(session, name, Kind.ENCODER)


def encoder_in_use(session: Session) -> ModelVersion | None:
    """The version that proposes: the encoder that was promoted last."""
    return promoted(session, Kind.ENCODER)


def fine_tuned(session: Session) -> Sequence[ModelVersion]:
    """The encoders that were fine-tuned here, oldest first."""
    return [version for version in encoders(session) if "label_set_sha256" in version.trained_on]


def curve(session: Session, version_id: int) -> list[Any]:
    """The curve of the training that made a version; empty where none did."""
    found: list[Any] = session.scalars(select(ModelVersion.history).where(ModelVersion.id == version_id)).one()
    return found
