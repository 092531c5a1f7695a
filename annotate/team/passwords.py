"""Passwords: which are fit, and their Argon2 hashes, of which only a few are worked out at the same time."""

import hashlib
import secrets
import threading
import unicodedata
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from annotate.project.served import project_name

LEAST, MOST = 12, 128
# zxcvbn calls a password very safe that takes this many guesses (Wheeler 2016). Of a longer one it looks at this part.
LEAST_GUESSES, LOOKED_AT = 10**10, 72
PRODUCT = ("keyline", "admin")
# A hash takes 64 MiB and four lanes: a burst of logins may not take the memory and the processor from everybody.
AT_ONCE = 2
_slots = threading.BoundedSemaphore(AT_ONCE)
_hasher = PasswordHasher()


class UnfitPassword(ValueError):
    """A password that no account may have; the message says why."""


def fit(password: str) -> str:
    """The password as it is hashed: NFKC, so that every keyboard gives the same. Raises UnfitPassword."""
    # Before it is normalised: that makes up to 18 characters of one.
    if len(password) > MOST:
        raise UnfitPassword(f"a password has at most {MOST} characters")
    normal = unicodedata.normalize("NFKC", password)
    if not LEAST <= len(normal) <= MOST:
        raise UnfitPassword(f"a password has {LEAST} to {MOST} characters")
    if "\0" in normal or any("\ud800" <= character <= "\udfff" for character in normal):
        raise UnfitPassword("a password is text without NUL")
    return normal


def hashed(password: str) -> str:
    """The Argon2 hash of a password, with its salt and cost. Raises UnfitPassword."""
    normal = fit(password)
    with _slots:
        return _hasher.hash(normal)


def new_hash(password: str, name: str) -> str:
    """The hash of a password that a person of this name is to have. Raises UnfitPassword for one that is soon guessed:
    from lists of common passwords and words, or from the names of the person, of Keyline and of the project.
    """
    from zxcvbn import zxcvbn  # noqa: PLC0415 (lists of 100,000 words, which only a new password needs)

    known = [name, *name.split(), *PRODUCT, *project_name().split()]
    found = zxcvbn(fit(password)[:LOOKED_AT], user_inputs=known)
    if found["guesses"] < LEAST_GUESSES:
        why = found["feedback"]["warning"] or "It is made of what many people take."
        raise UnfitPassword(f"this password is soon guessed: {why.rstrip('.')}")
    return hashed(password)


def matches(stored: str | None, password: str) -> bool:
    """Whether a password is the one that was hashed; without a hash False, after the same work. Raises UnfitPassword.

    The work does not tell a name that is known from one that is not.
    """
    normal = fit(password)
    nobodys = _nobodys()
    with _slots:
        try:
            _hasher.verify(stored or nobodys, normal)
        except (VerificationError, InvalidHashError):
            return False
    return stored is not None


def sha256_of(token: str) -> str:
    """The SHA-256 of a token, which is stored in its place."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def outdated(stored: str) -> bool:
    """Whether a hash was made at another cost than is usual now."""
    return _hasher.check_needs_rehash(stored)


@lru_cache(maxsize=1)
def _nobodys() -> str:
    with _slots:
        return _hasher.hash(secrets.token_urlsafe())
