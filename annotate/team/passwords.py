"""Passwords: which are fit, and their Argon2 hashes, of which only a few are worked out at the same time."""

import hashlib
import secrets
import threading
import unicodedata
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

LEAST, MOST = 12, 128
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
