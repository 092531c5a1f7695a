"""Logging in and out: passwords are tried a few times an hour, and each login can be ended on the server.

People whom an identity provider knows are told by its issuer and subject, never by an e-mail address, which changes
hands. The provider's own cookie lasts for a month and is known only to the browser. Each of its logins has a row here,
as those with a password have, and counts no longer than that row.
"""

import secrets
import time
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NoReturn

from sqlalchemy.orm import Session

import db.review.verdicts
import db.rows
import db.team.people
from annotate.project import logs
from annotate.project.acting import (
    KEYLINE,
    LOGIN_DAYS,
    NOBODY,
    Actor,
    Forbidden,
    acting,
    current_actor,
    lasting_now,
    role_of,
)
from annotate.project.home import read, write
from annotate.project.names import MAX_NAME, clean_name, name_key
from annotate.project.notes import Noted, note
from annotate.project.rights import Right, Role
from annotate.team import second_factor
from annotate.team.addresses import counted_place
from annotate.team.passwords import UnfitPassword, hashed, matches, new_hash, outdated, sha256_of
from annotate.team.people import RESERVED, by_name
from annotate.team.second_factor import Ticket
from db.base import stamp, utc_now
from db.engine import DATABASE_ERRORS
from db.tables import Account, ApiToken, LoginAttempt, LoginSession

TOKEN_BYTES = 32
WINDOW_SECONDS = 15 * 60
PER_ACCOUNT, PER_ADDRESS = 10, 50
FORGET_SECONDS = 24 * 3600
MAX_BROWSER = 200
USED_AGAIN = timedelta(minutes=1)
# The clock as it was at the start, and what has passed since: attempts of this process are counted right although the
# clock is set. What an earlier process left in the future is moved to the present when the next password is tried.
_CLOCK = time.time() - time.monotonic()


class LoginFailed(PermissionError):
    """The password does not belong to the name, or there is no such name: the message never says which."""


class TooManyAttempts(PermissionError):
    """Too many passwords were tried of late, so no more are checked for a while."""


class NotEnabled(PermissionError):
    """The password is right, and the account is disabled."""


class CodeNeeded(Exception):
    """The password is right, and a code of the second factor is to follow with this ticket: of its secret, where the
    person is to switch one on."""

    def __init__(self, name: str, account: Account, *, secret: str = "") -> None:
        super().__init__("a code of the second factor is needed")
        self.ticket = Ticket(name, account.id, account.session_epoch, secret)


def log_in(name: str, password: str, *, address: str, browser: str = "") -> str:
    """The token of a new login, for a cookie. Raises LoginFailed, TooManyAttempts, NotEnabled or CodeNeeded."""
    account_id, stored = _checked(name_key(name), password, address)
    fresh = hashed(password) if outdated(stored) else stored  # made at another cost than is usual now
    with acting(KEYLINE), write(Right.SYSTEM) as session:
        account = _unchanged(session, account_id, stored)
        if account.disabled:
            raise NotEnabled("this account is disabled: ask an admin")
        db.rows.change(session, Account, account_id, password_hash=fresh)
        own_name = db.team.people.name_of(session, account_id)
        if not account.totp_secret and not second_factor.is_required():
            return _begin(session, account, own_name, address=address, browser=browser)
    raise CodeNeeded(own_name, account, secret="" if account.totp_secret else second_factor.new_secret())


def _unchanged(session: Session, account_id: int, stored: str) -> Account:
    """The account whose password was found right. Raises LoginFailed where it has another one since."""
    account = db.rows.get(session, Account, account_id)
    if account is None or account.password_hash != stored:
        raise LoginFailed("the password was changed meanwhile")
    return account


def _begin(session: Session, account: Account, name: str, *, address: str, browser: str) -> str:
    """Begins a login; returns its token."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    began = {"account_id": account.id, "epoch": account.session_epoch}
    way = "password and code" if account.totp_secret else "password"
    insert_login(session, token, began=began, address=address, browser=browser, name=name, way=way)
    return token


def log_in_by_code(given: str, code: str, *, address: str, browser: str = "") -> tuple[str, list[str]]:
    """(token of a new login, recovery codes) by a signed ticket and a code of the second factor. There are recovery
    codes, which cannot be shown again, where this switches it on. Raises LoginFailed or TooManyAttempts.
    """
    if (ticket := second_factor.read_ticket(given)) is None:
        raise LoginFailed("that took too long: log in again")
    attempt, _ = _counted(name_key(ticket.name), address)
    with acting(Actor(ticket.name, operator=True)), write(Right.SYSTEM) as session:
        account = db.rows.get(session, Account, ticket.account_id)
        if account is None or account.disabled or account.session_epoch != ticket.epoch:
            raise LoginFailed("that took too long: log in again")
        codes = second_factor.switch_on(session, account, ticket.secret, code) if ticket.secret else []
        if codes or (not ticket.secret and second_factor.takes(session, account, code)):
            db.rows.change(session, LoginAttempt, attempt, succeeded=True)
            return _begin(session, account, ticket.name, address=address, browser=browser), codes
    logs.warning("login refused", address=address, reason="wrong code")
    raise LoginFailed("the code is wrong, or was used before")


def has_second_factor(actor: Actor) -> bool:
    """Whether an actor has one."""
    with read() as session:
        account = db.rows.get(session, Account, actor.account_id or 0)
        return account is not None and account.totp_secret is not None


def ask_for_second_factor(token: str, password: str, *, address: str) -> NoReturn:
    """Raises CodeNeeded for the person who is logged in with this token and is to switch a second factor on;
    LoginFailed or TooManyAttempts."""
    with _by_password(token, password, address) as (_, account, name):
        secret = second_factor.new_secret()
    raise CodeNeeded(name, account, secret=secret)


def end_second_factor(token: str, password: str, code: str, *, address: str) -> None:
    """Switches the second factor off, by the password and a code. Raises LoginFailed or TooManyAttempts."""
    actor = actor_of(token)
    # Before the code is tried: wrong codes count as wrong passwords do.
    attempt = _counted(name_key(actor.name), address)[0] if actor else 0
    with _by_password(token, password, address) as (session, account, name):
        if not second_factor.takes(session, account, code):
            raise LoginFailed("the code is wrong, or was used before")
        second_factor.switch_off(session, account.id, name)
        db.rows.change(session, LoginAttempt, attempt, succeeded=True)


@contextmanager
def _by_password(token: str, password: str, address: str) -> Iterator[tuple[Session, Account, str]]:
    """A write transaction with the account and the name of the person who is logged in with this token and gives their
    password. Raises LoginFailed or TooManyAttempts."""
    actor = actor_of(token)
    with read() as session:
        if actor is None or role_of(session, actor) is None:
            raise LoginFailed("you are logged out")
    account_id, stored = _checked(name_key(actor.name), password, address)
    with acting(actor), write(Right.REVIEW) as session:
        if account_id != actor.account_id:
            raise LoginFailed("you are logged out")
        yield session, _unchanged(session, account_id, stored), actor.name


def insert_login(
    session: Session, token: str, *, began: dict[str, int], address: str, browser: str, name: str, way: str = "password"
) -> LoginSession:
    """Stores a login of LOGIN_DAYS and notes it; `way` is what it was by."""
    expires = datetime.now(UTC) + timedelta(days=LOGIN_DAYS)
    login = db.rows.add(
        session,
        LoginSession(
            token_sha256=sha256_of(token),
            address=address,
            browser=browser[:MAX_BROWSER],
            expires_at=stamp(expires),
            **began,
        ),
    )
    with acting(Actor(name, operator=True)):
        note(session, Noted.LOGIN, f"logged in from {address or 'an unknown address'}", by=way)
    return login


def _counted(key: str, address: str) -> tuple[int, Account | None]:
    """(number of an attempt, account of the name), before the attempt is made. Raises TooManyAttempts."""
    with acting(KEYLINE), write(Right.SYSTEM) as session:
        now = _CLOCK + time.monotonic()
        db.team.people.tidy_attempts(session, now=now, forget_before=now - FORGET_SECONDS)
        attempt, place = None, counted_place(address)
        failed = partial(db.team.people.failed_attempts, session, since=now - WINDOW_SECONDS)
        if failed(name=key) < PER_ACCOUNT and failed(address=place) < PER_ADDRESS:
            attempt = db.rows.add(session, LoginAttempt(name=key, address=place, tried_at=now, succeeded=False))
        account = by_name(session, key)
    if attempt is None:  # outside the transaction, which has tidied up
        logs.warning("login refused", address=address, reason="too many")
        raise TooManyAttempts(f"too many wrong passwords: try again in {WINDOW_SECONDS // 60} minutes")
    return attempt.id, account


def _checked(key: str, password: str, address: str) -> tuple[int, str]:
    """(account id, hash) of the person with this password."""
    attempt, account = _counted(key, address)
    stored = account.password_hash if account else None
    try:
        right = matches(stored, password)
    except UnfitPassword:
        right = False
    if account is None or stored is None or not right:
        logs.warning("login refused", address=address, reason="wrong")
        raise LoginFailed("the name or the password is wrong")
    with acting(KEYLINE), write(Right.SYSTEM) as session:
        db.rows.change(session, LoginAttempt, attempt, succeeded=True)
    return account.id, stored


def actor_of(token: str) -> Actor | None:
    """The person who logged in with this token, even if disabled or logged out: each right checks that."""
    with read() as session:
        login = db.rows.find(session, LoginSession, token_sha256=sha256_of(token)) if token else None
        return actor_of_login(session, login) if login else None


def actor_of_login(session: Session, login: LoginSession) -> Actor:
    """Who acts by a login."""
    name = db.team.people.name_of(session, login.account_id)
    return Actor(name, login.account_id, login.epoch, login_id=login.id)


def note_use(row: LoginSession | ApiToken | None) -> None:
    """Notes that a login or token is used now: to the minute, since a program that reads page after page must not write
    each time."""
    now = datetime.now(UTC)
    if row is not None and not stamp(now - USED_AGAIN) < (row.last_used_at or "") <= stamp(now):
        # A database that takes nothing now, since its disk is full, can be read all the same.
        with suppress(*DATABASE_ERRORS), acting(KEYLINE), write(Right.SYSTEM) as session:
            db.rows.change(session, type(row), row.id, last_used_at=utc_now())


def note_login_used(actor: Actor) -> None:
    """Notes that the login by which somebody acts is used now."""
    if actor.login_id:
        with read() as session:
            login = db.rows.get(session, LoginSession, actor.login_id)
        note_use(login)


def why_not(session: Session, actor: Actor) -> str:
    """In words, why an actor has no role now; the empty text where they have one."""
    if actor.operator or role_of(session, actor) is not None:
        return ""
    account = db.rows.get(session, Account, actor.account_id) if actor.account_id else None
    if account and account.disabled:
        return "Your account is disabled, or waits for an admin to enable it."
    return "You are logged out." if account else "You are not logged in."


def log_out(token: str) -> None:
    """Ends the login of a token, if there is one."""
    with acting(KEYLINE), write(Right.SYSTEM) as session:
        login = db.rows.find(session, LoginSession, token_sha256=sha256_of(token), ended_at=None)
        if login:
            db.rows.change(session, LoginSession, login.id, ended_at=utc_now())


def my_logins() -> list[LoginSession]:
    """The logins of the current actor that last, newest first."""
    with read() as session:
        account_id = current_actor().account_id
        return list(db.team.people.logins(session, lasting_now(), account_id)) if account_id else []


def end_my_login(login_id: int) -> None:
    """Ends a login of the current actor's. Raises Forbidden for one of another."""
    with write(Right.REVIEW) as session:
        login, actor = db.rows.get(session, LoginSession, login_id), current_actor()
        if login is None or login.account_id != actor.account_id:
            raise Forbidden(f"{actor.name or NOBODY} may not end the login {login_id}")
        if not login.ended_at:
            db.rows.change(session, LoginSession, login_id, ended_at=utc_now())


def end_my_logins() -> None:
    """Ends all logins of the current actor, this one too, and lets nothing count that they signed."""
    with write(Right.REVIEW) as session:
        if account_id := current_actor().account_id:
            db.team.people.raise_epoch(session, account_id, ended_at=utc_now())
            note(session, Noted.LOGIN, "ended all their logins")


def change_password(token: str, old: str, new: str, *, address: str, browser: str = "") -> str:
    """Changes the password of the person who is logged in with this token; ends all their logins, and returns a new
    one's token. Raises UnfitPassword for the new one; for the old one as `log_in`.
    """
    actor = actor_of(token)
    fresh = new_hash(new, actor.name if actor else "")
    with _by_password(token, old, address) as (session, account, name):
        db.rows.change(session, Account, account.id, password_hash=fresh)
        db.team.people.raise_epoch(session, account.id, ended_at=utc_now())
        note(session, Noted.ACCOUNT, "changed their password")
        return _begin(session, account, name, address=address, browser=browser)


# A login is used at once. An older cookie that was never seen was kept back, until the row of its login would not be
# looked for any more.
FIRST_USE = timedelta(hours=1)
MAX_CLAIM = 255


class UnusableIdentity(ValueError):
    """What the provider says of a person does not tell who it is."""


def actor_of_claims(claims: Mapping[str, Any], *, address: str = "", browser: str = "") -> Actor | None:
    """The person of a provider's ID token; stores the login, and a disabled account for somebody new, at first sight.

    None where the token was never used while it was fresh. Raises UnusableIdentity without issuer, subject or time.
    """
    issuer, subject, issued_at = _claim(claims, "iss"), _claim(claims, "sub"), claims.get("iat")
    if not isinstance(issued_at, int | float) or isinstance(issued_at, bool):
        raise UnusableIdentity("the provider does not say when the person logged in")
    token = "\0".join((issuer, subject, str(issued_at), str(claims.get("nonce", ""))))
    sha256 = sha256_of(token)
    with read() as session:
        if login := db.rows.find(session, LoginSession, token_sha256=sha256):
            return actor_of_login(session, login)
    if abs(datetime.now(UTC).timestamp() - issued_at) > FIRST_USE.total_seconds():
        return None
    with acting(KEYLINE), write(Right.SYSTEM) as session:
        login = db.rows.find(session, LoginSession, token_sha256=sha256)  # another tab may have been faster
        if login is None:
            account_id = _account_id(session, issuer, subject, claims)
            account = db.rows.get(session, Account, account_id)
            began = {"account_id": account_id, "epoch": account.session_epoch if account else 0}
            name = db.team.people.name_of(session, account_id)
            details = {"address": address, "browser": browser, "name": name, "way": "identity provider"}
            login = insert_login(session, token, began=began, **details)
        return actor_of_login(session, login)


def _claim(claims: Mapping[str, Any], name: str) -> str:
    value = claims.get(name)
    if not isinstance(value, str) or not value or len(value) > MAX_CLAIM or not value.isprintable():
        raise UnusableIdentity(f"the provider gives no usable {name}")
    return value


def _account_id(session: Session, issuer: str, subject: str, claims: Mapping[str, Any]) -> int:
    if account := db.rows.find(session, Account, issuer=issuer, subject=subject):
        return account.id
    name = _free_name(session, claims)
    email = claims.get("email")
    account_id = db.rows.add(
        session,
        Account(
            annotator_id=db.review.verdicts.annotator_id(session, name),
            role=str(Role.ANNOTATOR),
            disabled=True,
            password_hash=None,
            issuer=issuer,
            subject=subject,
            email=email[:MAX_CLAIM] if isinstance(email, str) and email.isprintable() else None,
        ),
    ).id
    note(session, Noted.ACCOUNT, f"{name} logged in for the first time and waits for an admin", account=account_id)
    return account_id


def _free_name(session: Session, claims: Mapping[str, Any]) -> str:
    """A name that no annotator has: a provider's name must not take over what somebody else said."""
    taken = {name_key(name) for name in db.review.verdicts.annotators(session)} | RESERVED
    claimed = next((c for c in (claims.get("name"), claims.get("preferred_username")) if isinstance(c, str) and c), "")
    try:
        name = clean_name(unicodedata.normalize("NFKC", claimed[:MAX_NAME])[: MAX_NAME - 8])
    except ValueError:
        name = "somebody new"
    number = 1
    while name_key(name if number == 1 else f"{name} {number}") in taken:
        number += 1
    return name if number == 1 else f"{name} {number}"
