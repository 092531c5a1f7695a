"""Accounts, the browsers they are logged in with, and the passwords that were tried."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from db.tables import Account, Annotator, ApiToken, HistoryEntry, LoginAttempt, LoginSession

# How many of the newest history entries are searched: the wanted one is a minute old at most.
LOOKED_BACK = 1_000


def account(session: Session, account_id: int) -> Account | None:
    """The account with this id, as it is in the database now."""
    return session.get(Account, account_id, populate_existing=True)


def role_now(
    session: Session,
    account_id: int,
    epoch: int,
    login_id: int | None,
    *,
    expires_within: tuple[str, str],
    token_id: int | None = None,
) -> str | None:
    """The role of an account as it is in the database now, in one question, since it is asked with every write; None
    for an account that is gone, disabled or of another epoch, where the named API token was revoked, or where the
    named login has ended or does not end within these two times, after the first and not after the second."""
    query = select(Account.role).where(
        Account.id == account_id, Account.disabled.is_(False), Account.session_epoch == epoch
    )
    if login_id is not None:
        query = query.join(LoginSession, LoginSession.account_id == Account.id).where(
            LoginSession.id == login_id,
            LoginSession.ended_at.is_(None),
            LoginSession.expires_at > expires_within[0],
            LoginSession.expires_at <= expires_within[1],
        )
    if token_id is not None:
        query = query.join(ApiToken, ApiToken.account_id == Account.id).where(
            ApiToken.id == token_id, ApiToken.revoked_at.is_(None)
        )
    return session.scalar(query)


def accounts(session: Session) -> Sequence[tuple[Account, str]]:
    """(account, name) of everybody, in order of the alphabet."""
    statement = select(Account, Annotator.name).join(Annotator, Annotator.id == Account.annotator_id)
    return [(row[0], row[1]) for row in session.execute(statement.order_by(func.lower(Annotator.name), Account.id))]


def name_of(session: Session, account_id: int) -> str:
    """The name of an account that is there."""
    statement = select(Annotator.name).join(Account, Account.annotator_id == Annotator.id)
    return session.scalars(statement.where(Account.id == account_id)).one()


def account_of_identity(session: Session, issuer: str, subject: str) -> Account | None:
    """The account of what an identity provider calls a subject."""
    return session.scalar(select(Account).where(Account.issuer == issuer, Account.subject == subject))


def insert_account(session: Session, **columns: Any) -> int:
    """Inserts an account; returns its id."""
    row = Account(session_epoch=1, **columns)
    session.add(row)
    session.flush()
    return row.id


def change_account(session: Session, account_id: int, **columns: Any) -> None:
    """Changes an account."""
    session.execute(update(Account).where(Account.id == account_id).values(**columns))


def raise_epoch(session: Session, account_id: int, *, ended_at: str) -> None:
    """Makes invalid all that this account has signed or begun until now, and ends its logins and API tokens."""
    session.execute(update(Account).where(Account.id == account_id).values(session_epoch=Account.session_epoch + 1))
    session.execute(
        update(LoginSession)
        .where(LoginSession.account_id == account_id, LoginSession.ended_at.is_(None))
        .values(ended_at=ended_at)
    )
    session.execute(
        update(ApiToken)
        .where(ApiToken.account_id == account_id, ApiToken.revoked_at.is_(None))
        .values(revoked_at=ended_at)
    )


def enabled_with_role(session: Session, role: str) -> set[int]:
    """The ids of the accounts that have a role and are not disabled."""
    return set(session.scalars(select(Account.id).where(Account.role == role, Account.disabled.is_(False))))


def login(session: Session, login_id: int) -> LoginSession | None:
    """The login with this id, as it is in the database now."""
    return session.get(LoginSession, login_id, populate_existing=True)


def login_of_token(session: Session, token_sha256: str) -> LoginSession | None:
    """The login whose token has this SHA-256."""
    return session.scalar(select(LoginSession).where(LoginSession.token_sha256 == token_sha256))


def logins(session: Session, *, since: str, account_id: int | None = None) -> Sequence[LoginSession]:
    """Logins that had not expired then, newest first; ended ones too. Of one account where it is given."""
    statement = select(LoginSession).where(LoginSession.expires_at > since).order_by(LoginSession.id.desc())
    if account_id is not None:
        statement = statement.where(LoginSession.account_id == account_id)
    return session.scalars(statement).all()


def last_logins(session: Session) -> dict[int, str]:
    """When each account last logged in."""
    statement = select(LoginSession.account_id, func.max(LoginSession.created_at)).group_by(LoginSession.account_id)
    return {row[0]: row[1] for row in session.execute(statement)}


def insert_login(session: Session, **columns: Any) -> int:
    """Inserts a login; returns its id."""
    row = LoginSession(**columns)
    session.add(row)
    session.flush()
    return row.id


def end_login(session: Session, login_id: int, *, ended_at: str) -> None:
    """Ends a login that has not ended."""
    statement = update(LoginSession).where(LoginSession.id == login_id, LoginSession.ended_at.is_(None))
    session.execute(statement.values(ended_at=ended_at))


def insert_attempt(session: Session, **columns: Any) -> int:
    """Inserts a password that is about to be tried; returns its id."""
    row = LoginAttempt(succeeded=False, **columns)
    session.add(row)
    session.flush()
    return row.id


def mark_succeeded(session: Session, attempt_id: int) -> None:
    """Notes that the password that was tried was right."""
    session.execute(update(LoginAttempt).where(LoginAttempt.id == attempt_id).values(succeeded=True))


def failed_attempts(session: Session, *, since: float, name: str | None = None, address: str | None = None) -> int:
    """How many passwords since then were wrong, or are being tried, for a name or from an address."""
    statement = select(func.count()).select_from(LoginAttempt)
    statement = statement.where(LoginAttempt.tried_at > since, LoginAttempt.succeeded.is_(False))
    for column, value in ((LoginAttempt.name, name), (LoginAttempt.address, address)):
        if value is not None:
            statement = statement.where(column == value)
    return session.scalars(statement).one()


def tidy_attempts(session: Session, *, now: float, forget_before: float) -> None:
    """Dates attempts in the future, left by a clock that was set back, to now; deletes old ones."""
    session.execute(update(LoginAttempt).where(LoginAttempt.tried_at > now).values(tried_at=now))
    session.execute(delete(LoginAttempt).where(LoginAttempt.tried_at < forget_before))


def forget_attempts(session: Session, name: str) -> None:
    """Deletes the failed logins of a name."""
    session.execute(delete(LoginAttempt).where(LoginAttempt.name == name))


def summaries_since(session: Session, kind: str, done_by: str, since: str) -> Sequence[str]:
    """The summaries of what somebody did of one kind after that time, among the last LOOKED_BACK history entries."""
    newest = select(func.max(HistoryEntry.id)).scalar_subquery()
    statement = select(HistoryEntry.summary).where(
        HistoryEntry.id > newest - LOOKED_BACK,
        HistoryEntry.kind == kind,
        HistoryEntry.done_by == done_by,
        HistoryEntry.done_at > since,
    )
    return session.scalars(statement).all()
