"""Whose message a reader's route got: the token must be genuine and fresh, and its person still logged in here."""

import json
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Any, TypeVar

from itsdangerous import BadSignature
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from annotate.jobs.lifecycle import without_slow_patterns
from annotate.project import logs
from annotate.project.acting import ANONYMOUS, Actor, Auth, Forbidden, acting, auth, demand, role_of
from annotate.project.home import DamagedSecret, read
from annotate.project.refusals import note_refusal
from annotate.project.rights import Right
from annotate.review.verdicts import Expired, Signed, check_signature
from annotate.team.logins import actor_of, note_login_used
from db.engine import DATABASE_ERRORS
from pages.parts.frame.who import SESSION_COOKIE

EXPIRED, FORGED, LOGGED_OUT, NOT_ALLOWED = "expired", "bad signature", "logged out", "not allowed"
NOT_SAVED = "not saved: the database is busy, away or full; try again"
MAX_BODY_BYTES = 4_000_000
T = TypeVar("T")


class Refusal(Exception):
    """Why a message is not taken: the answer that says so, by default JSON."""

    def __init__(self, status: int, error: str, *, answer: Response | None = None) -> None:
        self.answer = answer or JSONResponse({"error": error}, status)


def with_refusals(endpoint: Callable[..., Awaitable[Response]]) -> Callable[..., Awaitable[Response]]:
    """The endpoint, of which a refusal is an answer."""

    @wraps(endpoint)
    async def answer(*given: Any) -> Response:
        try:
            return await endpoint(*given)
        except Refusal as refusal:
            return refusal.answer

    return answer


async def body_of(request: Request, most: int) -> bytes | None:
    """The body of a request; None for one of more than `most` bytes, the rest of which is not waited for."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            return None
    return bytes(body)


async def signed_message(request: Request, of: Signed) -> tuple[dict[str, Any], Actor, int]:
    """(message, who acts, number) of a request whose token of this kind is taken. Raises Refusal."""
    message = await json_message(request)
    if not isinstance(message.get("token"), str):
        raise Refusal(400, "needs a token")
    return message, *await signer(request, message["token"], of)


async def json_message(request: Request) -> dict[str, Any]:
    """The JSON object of a request. Raises Refusal where its body is another thing, or too large."""
    if (body := await body_of(request, MAX_BODY_BYTES)) is None:
        raise Refusal(413, "too large")
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "needs a JSON object") from error
    if not isinstance(message, dict):
        raise Refusal(400, "needs a JSON object")
    return message


async def signer(request: Request, token: str, of: Signed) -> tuple[Actor, int]:
    """(who acts, number) of a token.

    Raises Refusal: 403 for one that is too old or forged or lacks the right to review. 401 for one whose person has
    logged out, was disabled, or is not the person logged in with this browser.
    """
    return await run_in_threadpool(_signer, token, request.cookies.get(SESSION_COOKIE, ""), of)


def _signer(token: str, cookie: str, of: Signed) -> tuple[Actor, int]:
    try:
        actor, number = check_signature(token, of)
    except DamagedSecret as error:
        logs.error("not saved", error)
        raise Refusal(503, f"not saved: {error}") from error
    except DATABASE_ERRORS as error:  # the data folder is not there, and with it the key
        logs.error("not saved", error)
        raise Refusal(503, NOT_SAVED) from error
    except Expired as error:
        raise Refusal(403, EXPIRED) from error
    except BadSignature as error:
        with acting(ANONYMOUS):
            note_refusal("a message of a page that was not signed here")
        raise Refusal(403, FORGED) from error
    _same_person(actor, cookie, Right.REVIEW)
    return actor, number


async def same_person(request: Request, actor: Actor, right: Right) -> None:
    """Raises Refusal: 401 for an actor who is not whom this browser is logged in as, 403 for one without the right."""
    await run_in_threadpool(_same_person, actor, request.cookies.get(SESSION_COOKIE, ""), right)


def _same_person(actor: Actor, cookie: str, right: Right) -> None:
    if auth() is not Auth.OFF:
        with acting(actor):
            _unless_forbidden(_check, actor, cookie, right)


def _check(actor: Actor, cookie: str, right: Right) -> None:
    here = actor_of(cookie) if auth() is Auth.LOCAL else actor
    with read() as session:
        if role_of(session, actor) is None:
            raise Refusal(401, LOGGED_OUT)
        is_same = here == actor or bool(here and here.account_id == actor.account_id and role_of(session, here))
        if is_same:
            demand(session, right)
    if not is_same:
        note_refusal(f"a page of {actor.name} in a browser that is not logged in as {actor.name}")
        raise Refusal(401, LOGGED_OUT)
    note_login_used(actor)


async def run_as(actor: Actor, function: Callable[..., T], *values: Any, **more: Any) -> T:
    """What the function returns, called in a thread as this actor.

    Raises Refusal: 403 where they may not, 503 where the database does not take or give it now.
    """
    with acting(actor):
        return await run_in_threadpool(_unless_forbidden, function, *values, **more)


def _unless_forbidden(function: Callable[..., T], *values: Any, **more: Any) -> T:
    try:
        return without_slow_patterns(partial(function, *values, **more))
    except Forbidden as error:
        note_refusal(error)
        raise Refusal(403, NOT_ALLOWED) from error
    except DATABASE_ERRORS as error:  # another process has the lock, the disk is full: the page keeps its events
        logs.error("not saved", error)
        raise Refusal(503, NOT_SAVED) from error
