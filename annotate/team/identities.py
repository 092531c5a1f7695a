"""People whom an identity provider knows: by its issuer and subject, never by an e-mail address, which changes hands.

The provider's own cookie lasts for a month and is known to the browser alone. Each of its logins has a row here, as
those with a password have, and counts no longer than that row.
"""

import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

import db.review.verdicts
import db.rows
import db.team.people
from annotate.project.acting import KEYLINE, Actor, acting
from annotate.project.home import read, write
from annotate.project.names import MAX_NAME, clean_name, name_key
from annotate.project.notes import Noted, note
from annotate.project.rights import Right, Role
from annotate.team.logins import actor_of_login, insert_login, sha256_of
from annotate.team.people import RESERVED
from db.tables import Account, LoginSession

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
