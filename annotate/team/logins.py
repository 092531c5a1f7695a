"""Logging in and out: passwords are tried a few times an hour, and each login can be ended on the server.

People whom an identity provider knows are told by its issuer and subject, never by an e-mail address, which changes
hands. The provider's own cookie lasts for a month and is known to the browser alone. Each of its logins has a row here,
as those with a password have, and counts no longer than that row.
"""

import hashlib
import secrets
import time
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

import db.review.verdicts
import db.rows
import db.team.people
from annotate.project import logs
from annotate.project.acting import KEYLINE, LOGIN_DAYS, NOBODY, Actor, Forbidden, acting, current_actor, role_of
from annotate.project.home import read, write
from annotate.project.names import MAX_NAME, clean_name, name_key
from annotate.project.notes import Noted, note
from annotate.project.rights import Right, Role
from annotate.team.addresses import counted_place
from annotate.team.passwords import UnfitPassword, hashed, matches, outdated
from annotate.team.people import RESERVED, by_name
from db.base import stamp, utc_now
from db.tables import Account, LoginAttempt, LoginSession

TOKEN_BYTES = 32
WINDOW_SECONDS = 15 * 60
PER_ACCOUNT, PER_ADDRESS = 10, 50
FORGET_SECONDS = 24 * 3600
MAX_BROWSER = 200
# The clock as it was at the start, and what has passed since: attempts of this process are counted right although the
# clock is set. What an earlier process left in the future is moved to the present when the next password is tried.
_CLOCK = time.time() - time.monotonic()


class LoginFailed(PermissionError):
    """The password does not belong to the name, or there is no such name: the message never says which."""


class TooManyAttempts(PermissionError):
    """Too many passwords were tried of late, so no more are checked for a while."""


class NotEnabled(PermissionError):
    """The password is right, and the account is disabled."""


def log_in(name: str, password: str, *, address: str, browser: str = "") -> str:
    """The token of a new login, for a cookie. Raises LoginFailed, TooManyAttempts or NotEnabled."""
    key = name_key(name)
    account_id, stored = _checked(key, password, address)
    fresh = hashed(password) if outdated(stored) else stored  # made at another cost than is usual now
    with acting(KEYLINE), write(Right.SYSTEM) as session:
        account = db.rows.get(session, Account, account_id)
        if account is None or account.password_hash != stored:
            raise LoginFailed("the password was changed meanwhile")
        if account.disabled:
            raise NotEnabled("this account is disabled: ask an admin")
        db.rows.change(session, Account, account_id, password_hash=fresh)
        own_name = db.team.people.name_of(session, account_id)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        began = {"account_id": account_id, "epoch": account.session_epoch}
        insert_login(session, token, began=began, address=address, browser=browser, name=own_name)
    return token


def insert_login(
    session: Session, token: str, *, began: dict[str, int], address: str, browser: str, name: str
) -> LoginSession:
    """Stores a login of LOGIN_DAYS and notes it."""
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
        note(session, Noted.LOGIN, f"logged in from {address or 'an unknown address'}")
    return login


def sha256_of(token: str) -> str:
    """The SHA-256 of a token, which is stored in its place."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _checked(key: str, password: str, address: str) -> tuple[int, str]:
    """(account id, hash) of the person with this password. An attempt is counted before it is made."""
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
    stored = account.password_hash if account else None
    try:
        right = matches(stored, password)
    except UnfitPassword:
        right = False
    if account is None or stored is None or not right:
        logs.warning("login refused", address=address, reason="wrong")
        raise LoginFailed("the name or the password is wrong")
    with acting(KEYLINE), write(Right.SYSTEM) as session:
        db.rows.change(session, LoginAttempt, attempt.id, succeeded=True)
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
        return list(db.team.people.logins(session, since=utc_now(), account_id=account_id)) if account_id else []


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
    fresh = hashed(new)
    actor = actor_of(token)
    with read() as session:
        if actor is None or role_of(session, actor) is None:
            raise LoginFailed("you are logged out")
    account_id, stored = _checked(name_key(actor.name), old, address)
    with acting(actor), write(Right.REVIEW) as session:
        account = db.rows.get(session, Account, account_id)
        if account_id != actor.account_id or account is None or account.password_hash != stored:
            raise LoginFailed("the password was changed meanwhile")
        db.rows.change(session, Account, account_id, password_hash=fresh)
        db.team.people.raise_epoch(session, account_id, ended_at=utc_now())
        note(session, Noted.ACCOUNT, "changed their password")
    return log_in(actor.name, new, address=address, browser=browser)


# A login is used at once. A cookie that was never seen before and is older was kept for a time when the row of its
# login would not be looked for any more.
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
            login = insert_login(session, token, began=began, address=address, browser=browser, name=name)
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
            session_epoch=1,
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
