"""API tokens: a program acts by one in the name of the person who made it, with the rights that they have at each call.

A token is told once, when it is made; stored is its SHA-256. It ends when it is revoked, and with all that its person
has begun: when they are disabled, get another password or are logged out everywhere.
"""

import secrets
from collections.abc import Sequence

from sqlalchemy.orm import Session

import db.review.verdicts
import db.rows
import db.team.history
import db.team.people
from annotate.project.acting import NOBODY, Actor, Auth, Forbidden, allowed, auth, current_actor
from annotate.project.acting import role_of as role_now
from annotate.project.home import read, write
from annotate.project.names import clean_name
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.team.logins import note_use
from annotate.team.passwords import sha256_of
from annotate.team.people import NoSuchPerson, by_name
from db.base import utc_now
from db.tables import ApiToken

# By which people, and programs that look for secrets in files, know one.
PREFIX = "keyline_"
TOKEN_BYTES = 32
MAX_TOKENS = 20  # of one person


class NoSuchToken(LookupError):
    """There is no such token, or it was revoked."""


def make(name: str, person: str | None = None) -> str:
    """A new token, which cannot be shown again: of the current actor, or of the `person` for whom an operator makes
    it. `name` says what it is for.

    Raises ValueError for a name that is none or one token too many, NoSuchPerson for one without an account in a team.
    """
    tidy, token = clean_name(name), PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    with write(Right.REVIEW) as session:
        annotator, account_id, epoch = _whose(session, person)
        lasting = _of(session, annotator, account_id)
        if len(lasting) >= MAX_TOKENS:
            raise ValueError(f"{annotator} has {MAX_TOKENS} tokens already: revoke one first")
        if any(row.name == tidy for row in lasting):
            raise ValueError(f"a token of {annotator} is called {tidy} already")
        db.rows.add(
            session,
            ApiToken(
                token_sha256=sha256_of(token),
                account_id=account_id,
                epoch=epoch,
                annotator=annotator,
                name=tidy,
                created_at=utc_now(),
            ),
        )
        note(session, Noted.ACCOUNT, f"made the API token {tidy} of {annotator}", account=account_id)
    return token


def _whose(session: Session, person: str | None) -> tuple[str, int | None, int]:
    """(name, account id, epoch) of the person for whom a token is made."""
    actor = current_actor()
    if person is not None and person != actor.name and not actor.operator:
        raise Forbidden(f"{actor.name or NOBODY} may not make a token of {person}")
    name = person or actor.name
    if auth() is Auth.OFF:
        annotator = clean_name(name)
        db.review.verdicts.annotator_id(session, annotator)
        return annotator, None, 0
    account = by_name(session, name)
    if account is None:
        raise NoSuchPerson(f"there is no account under the name {name}")
    return db.team.people.name_of(session, account.id), account.id, account.session_epoch


def _of(session: Session, annotator: str, account_id: int | None) -> list[ApiToken]:
    return [row for row in db.rows.latest(session, ApiToken, revoked_at=None) if _same(row, annotator, account_id)]


def _same(row: ApiToken, annotator: str, account_id: int | None) -> bool:
    return row.account_id == account_id and (account_id is not None or row.annotator == annotator)


def my_tokens() -> list[ApiToken]:
    """The tokens of the current actor that were not revoked, newest first."""
    actor = current_actor()
    with read() as session:
        return _of(session, actor.name, actor.account_id)


def all_tokens() -> Sequence[ApiToken]:
    """The tokens of everybody that were not revoked, newest first."""
    with read() as session:
        return db.rows.latest(session, ApiToken, revoked_at=None)


def revoke(token_id: int) -> None:
    """Revokes a token of the current actor's or, with the right to manage people, of anybody's.

    Raises NoSuchToken where there is none, also where it is another's.
    """
    with write(Right.REVIEW) as session:
        row, actor = db.rows.get(session, ApiToken, token_id), current_actor()
        may_see = row is not None and (_same(row, actor.name, actor.account_id) or allowed(session, Right.PEOPLE))
        if row is None or row.revoked_at or not may_see:
            raise NoSuchToken(f"there is no token {token_id}")
        db.rows.change(session, ApiToken, token_id, revoked_at=utc_now())
        note(session, Noted.ACCOUNT, f"revoked the API token {row.name} of {row.annotator}", account=row.account_id)


def actor_of_token(token: str) -> Actor | None:
    """Who acts by a token now, and notes that it was used. None for a token that is unknown or revoked, or whose person
    was disabled or logged out everywhere since. None, too, where it was made with login and there is no login now, or
    without it and there is.
    """
    with read() as session:
        row = db.rows.find(session, ApiToken, token_sha256=sha256_of(token))
        actor = _actor(session, row) if row is not None and not row.revoked_at else None
    note_use(row if actor else None)
    return actor


def _actor(session: Session, row: ApiToken) -> Actor | None:
    if row.account_id is None:
        return Actor(row.annotator, operator=True, token_id=row.id) if auth() is Auth.OFF else None
    if auth() is Auth.OFF:
        return None
    name = db.team.people.name_of(session, row.account_id)
    actor = Actor(name, row.account_id, row.epoch, token_id=row.id)
    return actor if role_now(session, actor) is not None else None


def note_looked_on(article_id: int, set_id: int | None) -> None:
    """Notes that somebody who may see all labels took out an article's proposals without having it in hand: once a
    person and set of proposals, however often a program asks."""
    who = current_actor().name
    details = {"proposal_set": set_id}
    with read() as session:
        if db.team.history.is_noted(session, Noted.EXPORT, who, article_id, details):
            return
    with write(Right.GOLD) as session:
        note(session, Noted.EXPORT, "took the proposals by the API", article_id=article_id, **details)
