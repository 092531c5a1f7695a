"""Accounts, the browsers they are logged in with, and the passwords that were tried."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import Session

from db.tables import Account, Annotator, ApiToken, HistoryEntry, LoginAttempt, LoginSession

# How many of the newest history entries are searched: the wanted one is a minute old at most.
LOOKED_BACK = 1_000


@dataclass(frozen=True, slots=True)
class Lasting:
    """The times of a login that lasts: last used after the first, it expires after the second and until the third."""

    used_after: str
    expires_after: str
    expires_until: str

    def conditions(self) -> tuple[ColumnElement[bool], ...]:
        """Whether a login has not ended and lasts."""
        return (
            LoginSession.ended_at.is_(None),
            LoginSession.expires_at > self.expires_after,
            LoginSession.expires_at <= self.expires_until,
            func.coalesce(LoginSession.last_used_at, LoginSession.created_at) > self.used_after,
        )


def role_now(
    session: Session,
    account_id: int,
    epoch: int,
    login_id: int | None,
    *,
    lasting: Lasting,
    token_id: int | None = None,
) -> str | None:
    """The role of an account as it is in the database now, in one question, since it is asked with every write. None
    for an account that is gone, disabled or of another epoch. None, too, where the named API token was revoked or the
    named login has ended."""
    query = select(Account.role).where(
        Account.id == account_id, Account.disabled.is_(False), Account.session_epoch == epoch
    )
    if login_id is not None:
        query = query.join(LoginSession, LoginSession.account_id == Account.id).where(
            LoginSession.id == login_id, *lasting.conditions()
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


def logins(session: Session, lasting: Lasting, account_id: int | None = None) -> Sequence[LoginSession]:
    """The logins that last, newest first. Of one account where it is given."""
    statement = select(LoginSession).where(*lasting.conditions()).order_by(LoginSession.id.desc())
    if account_id is not None:
        statement = statement.where(LoginSession.account_id == account_id)
    return session.scalars(statement).all()


def last_logins(session: Session) -> dict[int, str]:
    """When each account last logged in."""
    statement = select(LoginSession.account_id, func.max(LoginSession.created_at)).group_by(LoginSession.account_id)
    return {row[0]: row[1] for row in session.execute(statement)}


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
