"""The second factor of accounts with a password: codes of an authenticator (TOTP, RFC 6238), and recovery codes.

A code is one of the last, the present or the next half-minute, and counts once. A recovery code counts once too; of
these only the SHA-256 is stored, which is enough since each has 160 random bits.
"""

import base64
import os
import secrets
import time
from typing import NamedTuple

import pyotp
from itsdangerous import BadSignature, URLSafeTimedSerializer
from pyotp.utils import strings_equal
from sqlalchemy.orm import Session

import db.rows
from annotate.project.home import signing_secret
from annotate.project.notes import Noted, note
from annotate.project.served import project_name
from annotate.team.passwords import sha256_of
from db.tables import Account

REQUIRED = "KEYLINE_SECOND_FACTOR"
RECOVERY_CODES, RECOVERY_BYTES, GROUP = 10, 20, 4
TICKET_SECONDS = 10 * 60  # in which a code is typed after the password


def is_required() -> bool:
    """Whether everybody with a password must have one: KEYLINE_SECOND_FACTOR=required. Raises ValueError for another
    value."""
    value = os.environ.get(REQUIRED, "")
    if value not in ("", "required"):
        raise ValueError(f"{REQUIRED} is {value!r}; it must be required, or not set")
    return bool(value)


def address_of(secret: str, name: str) -> str:
    """The address that an authenticator reads, as a drawn code."""
    return pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name=f"Keyline {project_name()}".strip())


def new_secret() -> str:
    """A secret of 160 random bits, in the letters that authenticators take."""
    return pyotp.random_base32()


class Ticket(NamedTuple):
    """The word that the password of an account was right a moment ago; with the secret that is to be switched on."""

    name: str
    account_id: int
    epoch: int
    secret: str

    def signed(self) -> str:
        """The ticket for a hidden field of a form."""
        return _serializer().dumps(self)


def read_ticket(given: str) -> Ticket | None:
    """The ticket that was signed; None for one that is forged or older than TICKET_SECONDS."""
    try:
        return Ticket(*_serializer().loads(given, max_age=TICKET_SECONDS))
    except BadSignature:
        return None


def _serializer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(signing_secret(), salt="second factor")


def switch_on(session: Session, account: Account, secret: str, code: str) -> list[str]:
    """Stores the secret, once a code of it was given; returns the recovery codes: none for a wrong code, or where
    another secret was stored meanwhile."""
    step = step_of(secret, _plain(code))
    if step is None or account.totp_secret:
        return []
    codes = [_grouped(secrets.token_bytes(RECOVERY_BYTES)) for _ in range(RECOVERY_CODES)]
    stored = [sha256_of(_plain(each)) for each in codes]
    db.rows.change(session, Account, account.id, totp_secret=secret, totp_step=step, recovery_codes=stored)
    note(session, Noted.ACCOUNT, "switched a second factor on", account=account.id)
    return codes


def switch_off(session: Session, account_id: int, name: str) -> None:
    """Forgets the secret and the recovery codes of an account; the history tells it."""
    db.rows.change(session, Account, account_id, totp_secret=None, totp_step=None, recovery_codes=None)
    note(session, Noted.ACCOUNT, f"took the second factor off {name}", account=account_id)


def takes(session: Session, account: Account, code: str) -> bool:
    """Whether this is a code of the account that was not used; it then counts no more."""
    typed, left = _plain(code), account.recovery_codes or []
    if (digest := sha256_of(typed)) in left:
        others = [each for each in left if each != digest]
        db.rows.change(session, Account, account.id, recovery_codes=others)
        note(session, Noted.ACCOUNT, f"used a recovery code; {len(others)} are left", account=account.id)
        return True
    step = step_of(account.totp_secret or "", typed)
    if step is None or step <= (account.totp_step or 0):
        return False
    db.rows.change(session, Account, account.id, totp_step=step)
    return True


def step_of(secret: str, code: str) -> int | None:
    """The half-minute whose code this is, of the last, the present and the next one; None for another code."""
    if not secret:
        return None
    codes = pyotp.TOTP(secret)
    now = int(time.time()) // codes.interval
    return next((step for step in (now, now - 1, now + 1) if strings_equal(codes.generate_otp(step), code)), None)


def _plain(code: str) -> str:
    """A code as it is compared: without spaces and hyphens, in capitals."""
    return "".join(code.split()).replace("-", "").upper()[:100]


def _grouped(random: bytes) -> str:
    text = base64.b32encode(random).decode()
    return "-".join(text[place : place + GROUP] for place in range(0, len(text), GROUP))
