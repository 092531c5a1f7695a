"""Accounts: who may log in and as what."""

from sqlalchemy.orm import Session

from db.team_tables import Account


def account(session: Session, account_id: int) -> Account | None:
    """The account with this id, as it is in the database now."""
    return session.get(Account, account_id, populate_existing=True)
