"""Accounts, their logins, and what people did apart from reviewing."""

import secrets
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, utc_now


def first_epoch() -> int:
    """Where the epochs of a new account begin: at random, since SQLite gives the id of a removed account again. Who had
    that account must not act by this one; later epochs fit a 32-bit integer."""
    return secrets.randbelow(2**30)


class Account(Base):
    """A person who may log in, and the annotator under whose name their work is stored.

    By password, or by an identity provider's issuer and subject (never by e-mail, which can change hands). What was
    signed or begun before `session_epoch` was raised does not count any more.

    A second factor has a `totp_secret`, from which codes are made, and a `totp_step`, the last half-minute whose code
    was used. `recovery_codes` are the SHA-256 of recovery codes that were not used.
    """

    __tablename__ = "account"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"), unique=True)
    role: Mapped[str]
    disabled: Mapped[bool]
    session_epoch: Mapped[int] = mapped_column(default=first_epoch)
    password_hash: Mapped[str | None]
    issuer: Mapped[str | None]
    subject: Mapped[str | None]
    email: Mapped[str | None]
    created_at: Mapped[str] = mapped_column(default=utc_now)
    totp_secret: Mapped[str | None]
    totp_step: Mapped[int | None]
    recovery_codes: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))


class LoginSession(Base):
    """A browser in which a person logged in. Holds the SHA-256 of its token, never the token."""

    __tablename__ = "login_session"
    id: Mapped[int] = mapped_column(primary_key=True)
    token_sha256: Mapped[str] = mapped_column(unique=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    epoch: Mapped[int]
    address: Mapped[str]
    browser: Mapped[str]
    created_at: Mapped[str] = mapped_column(default=utc_now)
    expires_at: Mapped[str]
    ended_at: Mapped[str | None]
    last_used_at: Mapped[str | None]


class ApiToken(Base):
    """What a program acts by in a person's name. Holds the SHA-256 of the token, never the token.

    Of an account with the session epoch in which it was made, or, without one, of the person who runs Keyline without
    login; `annotator` is the name under which its work is stored.
    """

    __tablename__ = "api_token"
    id: Mapped[int] = mapped_column(primary_key=True)
    token_sha256: Mapped[str] = mapped_column(unique=True)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"), index=True)
    epoch: Mapped[int]
    annotator: Mapped[str]
    name: Mapped[str]
    created_at: Mapped[str] = mapped_column(default=utc_now)
    last_used_at: Mapped[str | None]
    revoked_at: Mapped[str | None]


class LoginAttempt(Base):
    """A password that was tried; counting them limits guessing, also over restarts. `name` as typed, in lower case."""

    __tablename__ = "login_attempt"
    __table_args__ = (
        Index("ix_login_attempt_name_id", "name", "id"),
        Index("ix_login_attempt_address_id", "address", "id"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    address: Mapped[str]
    tried_at: Mapped[float]
    succeeded: Mapped[bool]


class HistoryEntry(Base):
    """What somebody did that no other table keeps: labels, exports, accounts, backups, refusals."""

    __tablename__ = "history"
    __table_args__ = (Index("ix_history_article_id_id", "article_id", "id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    done_at: Mapped[str] = mapped_column(default=utc_now)
    done_by: Mapped[str]
    kind: Mapped[str]
    article_id: Mapped[int | None] = mapped_column(ForeignKey("article.id"))
    summary: Mapped[str]
    details: Mapped[dict[str, Any]]
