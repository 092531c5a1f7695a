"""Who is acting, and whether they may: asked of the database inside every write transaction and on every page."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from sqlalchemy.orm import Session

import db.team.people
from annotate.project.rights import Right, may
from db.base import stamp
from db.team.people import Lasting

AUTH = "KEYLINE_AUTH"
NOBODY = "a person without login"
# A login lasts this long. A login that would last longer was made by a clock that ran ahead, and does not count; a
# clock that is set back by a day at most ends no login.
LOGIN_DAYS = 14
CLOCK_SLACK = timedelta(hours=25)
# A login that was not used for this long has ended, too.
IDLE, IDLE_HOURS = "KEYLINE_IDLE_HOURS", 8


class Auth(StrEnum):
    """How people are known: one person without login, accounts with passwords, or an identity provider."""

    OFF = "off"
    LOCAL = "local"
    OIDC = "oidc"


class Forbidden(PermissionError):
    """The actor lacks the right; the message names it."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who is acting. `account_id` with its session `epoch` is a person of a team. `login_id` is the browser they use,
    or `token_id` the API token of their program.

    An operator may do everything: the person at the command line, the only user of a Keyline without login, and
    Keyline itself.
    """

    name: str
    account_id: int | None = None
    epoch: int = 0
    operator: bool = False
    login_id: int | None = None
    token_id: int | None = None


ANONYMOUS = Actor("")
OPERATOR = Actor("operator", operator=True)
# For acts of no particular person: passwords are checked, refusals noted, trainings begun by themselves.
KEYLINE = Actor("Keyline", operator=True)
_acting: ContextVar[Actor | None] = ContextVar("acting", default=None)
_resolvers: list[Callable[[], Actor | None]] = []


def auth() -> Auth:
    """How people are known here: KEYLINE_AUTH, by default off. Raises ValueError for another value."""
    value = os.environ.get(AUTH) or Auth.OFF
    if value not in set(Auth):
        raise ValueError(f"{AUTH} is {value!r}; it must be one of {', '.join(Auth)}")
    return Auth(value)


def idle_limit() -> timedelta:
    """How long a login lasts that is not used: KEYLINE_IDLE_HOURS. Raises ValueError for a value out of 1 to 336."""
    value = os.environ.get(IDLE) or str(IDLE_HOURS)
    if not (value.isascii() and value.isdigit() and 1 <= int(value[:9]) <= LOGIN_DAYS * 24):
        raise ValueError(f"{IDLE} is {value!r}; it must be a whole number from 1 to {LOGIN_DAYS * 24}")
    return timedelta(hours=int(value))


def resolve_by(resolver: Callable[[], Actor | None]) -> None:
    """Sets the function by which the pages say who is acting: asked where no actor was named; None if it does not
    know."""
    if resolver not in _resolvers:
        _resolvers.append(resolver)


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """Within this block, in this thread or task, it is the actor who acts."""
    token = _acting.set(actor)
    try:
        yield
    finally:
        _acting.reset(token)


def current_actor() -> Actor:
    """The actor that a page, route or command names. Without one it is a person without login, or the operator if
    Keyline has no login."""
    if (actor := _acting.get()) is not None:
        return actor
    for resolver in _resolvers:
        if (found := resolver()) is not None:
            return found
    return OPERATOR if auth() is Auth.OFF else ANONYMOUS


def role_of(session: Session, actor: Actor) -> str | None:
    """The present role of an actor, by the database; None without login, for a disabled account, or after a logout."""
    if actor.account_id is None:
        return None
    person = (actor.account_id, actor.epoch, actor.login_id)
    return db.team.people.role_now(session, *person, lasting=lasting_now(), token_id=actor.token_id)


def lasting_now() -> Lasting:
    """The times of a login that counts at this moment."""
    now = datetime.now(UTC)
    latest = now + timedelta(days=LOGIN_DAYS) + CLOCK_SLACK
    return Lasting(used_after=stamp(now - idle_limit()), expires_after=stamp(now), expires_until=stamp(latest))


def allowed(session: Session, right: Right, actor: Actor | None = None) -> bool:
    """Whether the actor, by default the current one, has a right now."""
    who = actor or current_actor()
    return who.operator or may(role_of(session, who), right)


def demand(session: Session, right: Right) -> None:
    """Raises Forbidden unless the current actor has the right now."""
    actor = current_actor()
    if not allowed(session, right, actor):
        raise Forbidden(f"{actor.name or NOBODY} may not {right}")


def own_name(name: str) -> str:
    """The name, where the current actor may act under it: their own, an operator under any. Raises Forbidden."""
    actor = current_actor()
    if not actor.operator and name != actor.name:
        raise Forbidden(f"{actor.name or NOBODY} may not act as {name}")
    return name
