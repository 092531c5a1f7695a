"""API tokens: by which programs act in the name of people."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from db.tables import ApiToken


def insert_token(session: Session, **columns: Any) -> int:
    """Inserts a token; returns its id."""
    return session.scalars(insert(ApiToken).returning(ApiToken.id), columns).one()


def token(session: Session, token_id: int) -> ApiToken | None:
    """The token with this id, as it is in the database now."""
    return session.get(ApiToken, token_id, populate_existing=True)


def by_sha256(session: Session, token_sha256: str) -> ApiToken | None:
    """The token with this SHA-256, a revoked one too."""
    return session.scalar(select(ApiToken).where(ApiToken.token_sha256 == token_sha256))


def lasting(session: Session) -> Sequence[ApiToken]:
    """All tokens that were not revoked, newest first."""
    return session.scalars(select(ApiToken).where(ApiToken.revoked_at.is_(None)).order_by(ApiToken.id.desc())).all()


def mark_used(session: Session, token_id: int, *, used_at: str) -> None:
    """Notes when a token was used last."""
    session.execute(update(ApiToken).where(ApiToken.id == token_id).values(last_used_at=used_at))


def revoke(session: Session, token_id: int, *, revoked_at: str) -> None:
    """Revokes a token that was not revoked."""
    statement = update(ApiToken).where(ApiToken.id == token_id, ApiToken.revoked_at.is_(None))
    session.execute(statement.values(revoked_at=revoked_at))
