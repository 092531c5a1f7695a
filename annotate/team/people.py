"""People: the accounts of a team, and what an admin does with them. Every change is told in the history."""

import os
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.review.verdicts
import db.rows
import db.team.people
from annotate.project.acting import AUTH, lasting_now
from annotate.project.home import database_address, read, write
from annotate.project.names import clean_name, name_key
from annotate.project.notes import Noted, note
from annotate.project.rights import Right, Role
from annotate.team import second_factor
from annotate.team.passwords import new_hash
from db.base import utc_now
from db.engine import DATABASE_ERRORS, reading
from db.tables import Account

# No account can have these names: they stand for actors that have no account.
RESERVED = frozenset({"operator", "keyline", "a person without login"})


class LastAdmin(ValueError):
    """Without this admin no person could manage people any more."""


class NoSuchPerson(LookupError):
    """There is no account of this name or number."""


@dataclass(frozen=True, slots=True)
class Person:
    """An account as people see it; times are ISO 8601 in UTC, `logins` those that last."""

    account_id: int
    name: str
    role: str
    disabled: bool
    known_by: str
    second_factor: bool
    created_at: str
    last_login: str | None
    logins: int


def by_name(session: Session, name: str) -> Account | None:
    """The account of a name, in capitals or not."""
    key = name_key(name)
    return next((account for account, known in db.team.people.accounts(session) if name_key(known) == key), None)


def any_accounts() -> bool:
    """Whether there is an account at all."""
    with read() as session:
        return bool(db.team.people.accounts(session))


def login_forgotten() -> bool:
    """Whether there are accounts and KEYLINE_AUTH is not set: everybody would be let in, to everything."""
    address = database_address()
    if os.environ.get(AUTH) or (isinstance(address, Path) and not address.exists()):
        return False
    with suppress(*DATABASE_ERRORS), reading(address) as session:
        return bool(db.team.people.accounts(session))
    return False  # of an older release, or away: what opens it says so


def people() -> list[Person]:
    """Everybody with an account, in order of the alphabet."""
    with read() as session:
        last = db.team.people.last_logins(session)
        lasting = [row.account_id for row in db.team.people.logins(session, lasting_now())]
        return [
            Person(
                account_id=account.id,
                name=name,
                role=account.role,
                disabled=account.disabled,
                known_by=account.issuer or ("password" if account.password_hash else "nothing yet"),
                second_factor=account.totp_secret is not None,
                created_at=account.created_at,
                last_login=last.get(account.id),
                logins=lasting.count(account.id),
            )
            for account, name in db.team.people.accounts(session)
        ]


def add(
    name: str, role: str, *, password: str | None = None, issuer: str | None = None, subject: str | None = None
) -> int:
    """Adds an account, known by its password or by an identity provider's issuer and subject; returns its id.

    What an annotator of this name did before is theirs. Raises ValueError for a name that is taken or not usable, an
    unknown role, or an unfit password.
    """
    tidy = clean_name(unicodedata.normalize("NFKC", name))
    _check_role(role)
    if (password is None) == (issuer is None) or (issuer is None) != (subject is None):
        raise ValueError("an account has a password, or an issuer and a subject")
    password_hash = None if password is None else new_hash(password, tidy)
    with write(Right.PEOPLE) as session:
        if by_name(session, tidy) or name_key(tidy) in RESERVED:
            raise ValueError(f"the name {tidy} is taken")
        if issuer and subject and db.rows.find(session, Account, issuer=issuer, subject=subject):
            raise ValueError("this identity has an account already")
        account_id = db.rows.add(
            session,
            Account(
                annotator_id=db.review.verdicts.annotator_id(session, tidy),
                role=str(role),
                disabled=False,
                password_hash=password_hash,
                issuer=issuer,
                subject=subject,
            ),
        ).id
        note(session, Noted.ACCOUNT, f"added {tidy} as {role}", account=account_id)
    return account_id


def find(name: str) -> int:
    """The id of the account of this name. Raises NoSuchPerson."""
    with read() as session:
        if (account := by_name(session, name)) is None:
            raise NoSuchPerson(f"there is no account under the name {name}")
        return account.id


def set_role(account_id: int, role: str) -> None:
    """Gives a person another role, from their next click on. Raises LastAdmin."""
    _check_role(role)
    with write(Right.PEOPLE) as session:
        account, name = _get(session, account_id)
        if account.role == role:
            return
        if role != Role.ADMIN:
            keep_an_admin(session, account_id)
        note(session, Noted.ROLE, f"made {name} {role}, who was {account.role}", account=account_id)
        db.rows.change(session, Account, account_id, role=str(role))


def disable(account_id: int) -> None:
    """Lets a person do nothing any more, from now on; their work stays. Raises LastAdmin."""
    with write(Right.PEOPLE) as session:
        account, name = _get(session, account_id)
        if account.disabled:
            return
        keep_an_admin(session, account_id)
        db.rows.change(session, Account, account_id, disabled=True)
        db.team.people.raise_epoch(session, account_id, ended_at=utc_now())
        note(session, Noted.ACCOUNT, f"disabled {name}", account=account_id)


def enable(account_id: int) -> None:
    """Lets a person log in again, or for the first time."""
    with write(Right.PEOPLE) as session:
        account, name = _get(session, account_id)
        if account.disabled:
            db.rows.change(session, Account, account_id, disabled=False)
            note(session, Noted.ACCOUNT, f"enabled {name}", account=account_id)


def set_password(account_id: int, password: str) -> None:
    """Gives a person a new password, ends their logins and forgets what was tried. Raises UnfitPassword, or ValueError
    for one whom an identity provider knows.
    """
    with read() as session:
        password_hash = new_hash(password, _get(session, account_id)[1])
    with write(Right.PEOPLE) as session:
        account, name = _get(session, account_id)
        if account.issuer:
            raise ValueError(f"{name} logs in with {account.issuer}, not with a password")
        db.rows.change(session, Account, account_id, password_hash=password_hash)
        db.team.people.raise_epoch(session, account_id, ended_at=utc_now())
        db.team.people.forget_attempts(session, name_key(name))
        note(session, Noted.ACCOUNT, f"gave {name} a new password", account=account_id)


def take_second_factor_off(account_id: int) -> None:
    """Lets a person who lost it log in by their password, and switch another one on."""
    with write(Right.PEOPLE) as session:
        account, name = _get(session, account_id)
        if account.totp_secret is not None:
            second_factor.switch_off(session, account_id, name)


def end_sessions(account_id: int) -> None:
    """Logs a person out everywhere."""
    with write(Right.PEOPLE) as session:
        _, name = _get(session, account_id)
        db.team.people.raise_epoch(session, account_id, ended_at=utc_now())
        note(session, Noted.ACCOUNT, f"logged {name} out everywhere", account=account_id)


def _get(session: Session, account_id: int) -> tuple[Account, str]:
    account: Any = db.rows.get(session, Account, account_id)
    if account is None:
        raise NoSuchPerson(f"there is no account {account_id}")
    return account, db.team.people.name_of(session, account_id)


def _check_role(role: str) -> None:
    if role not in set(Role):
        raise ValueError(f"the role is {role!r}; it must be one of {', '.join(Role)}")


def keep_an_admin(session: Session, account_id: int) -> None:
    """An account that is disabled, or no admin, is not the last admin."""
    if db.team.people.enabled_with_role(session, Role.ADMIN) == {account_id}:
        raise LastAdmin("this is the last admin who is not disabled: make another one first")
