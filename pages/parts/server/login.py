"""The HTTP routes of people with a password: /login, /logout and /password."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from annotate.project.acting import LOGIN_DAYS, Actor, Auth, auth, role_of
from annotate.project.home import read
from annotate.team.logins import (
    LoginFailed,
    NotEnabled,
    TooManyAttempts,
    actor_of,
    change_password,
    log_in,
    log_out,
)
from annotate.team.passwords import AT_ONCE, UnfitPassword
from annotate.team.people import any_accounts
from db.engine import DATABASE_ERRORS
from pages.parts.frame.who import SESSION_COOKIE
from pages.parts.server.connections import client_address
from pages.parts.server.login_html import login_form, password_form, plain
from pages.parts.server.signed_requests import Refusal, body_of, with_refusals
from pages.parts.server.site_gate import is_https

MAX_FORM_BYTES = 16_000
MAX_NEXT = 500
# A password takes a hashing slot for a while: those that wait do so here, not in the threads that save verdicts.
_HASHING = asyncio.Semaphore(AT_ONCE)
_STATUS = {LoginFailed: 401, NotEnabled: 403, TooManyAttempts: 429, UnfitPassword: 400}


def _not_understood(status: int, text: str) -> Refusal:
    return Refusal(status, text, answer=plain("Not understood", text, status))


def _answered(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint, which says so where it takes no form, or the database does not answer."""
    answer = with_refusals(endpoint)

    @wraps(endpoint)
    async def in_any_case(request: Request) -> Response:
        try:
            return await answer(request)
        except DATABASE_ERRORS:
            return plain("Not now", "Keyline's database does not answer just now. Try again in a minute.", 503)

    return in_any_case


def local_address(given: str) -> str:
    """An address within Keyline to go on to; "/" for anything that leads, or might lead, elsewhere."""
    fit = given.isascii() and given.isprintable() and len(given) <= MAX_NEXT
    return given if fit and given.startswith("/") and not given.startswith("//") and "\\" not in given else "/"


@_answered
async def show_login(request: Request) -> Response:
    """The form, unless the browser is logged in already; then, and where there are no passwords, the way to the app."""
    following = local_address(request.query_params.get("next", "/"))
    if auth() is not Auth.LOCAL or await run_in_threadpool(_logged_in, request) is not None:
        return RedirectResponse(following, 303)
    return login_form(following=following, empty=not await run_in_threadpool(any_accounts))


@_answered
async def take_login(request: Request) -> Response:
    """Logs in: 303 with the cookie; the form again with 400, 401, 403 or 429."""
    form = await _form(request)
    following, name = local_address(form.get("next", "/")), form.get("name", "")
    try:
        async with _HASHING:
            token = await run_in_threadpool(log_in, name, form.get("password", ""), **_origin(request))
        if before := request.cookies.get(SESSION_COOKIE, ""):  # ends the login of the person before
            await run_in_threadpool(log_out, before)
    except (LoginFailed, NotEnabled, TooManyAttempts) as error:
        return login_form(following=following, name=name[:60], problem=_sentence(error), status=_STATUS[type(error)])
    return _with_cookie(request, RedirectResponse(following, 303), token)


@_answered
async def take_logout(request: Request) -> Response:
    """Ends the login on the server, and takes the cookie away."""
    await _form(request)
    if token := request.cookies.get(SESSION_COOKIE, ""):
        await run_in_threadpool(log_out, token)
    response = RedirectResponse("/login", 303)
    response.delete_cookie(SESSION_COOKIE, path="/", httponly=True, samesite="lax", secure=is_https(request.url.scheme))
    return response


@_answered
async def show_password(request: Request) -> Response:
    """The form for another password, for a person who is logged in."""
    actor = await run_in_threadpool(_logged_in, request) if auth() is Auth.LOCAL else None
    return password_form(actor.name) if actor else RedirectResponse("/login?next=/password", 303)


@_answered
async def take_password(request: Request) -> Response:
    """Changes the password: 303 with the cookie of a new login; the form again with 400, 401 or 429."""
    token = request.cookies.get(SESSION_COOKIE, "")
    form = await _form(request)
    actor = await run_in_threadpool(_logged_in, request)
    try:
        if form.get("new") != form.get("again"):
            raise UnfitPassword("the new password was not repeated the same")
        async with _HASHING:
            values = (token, form.get("old", ""), form.get("new", ""))
            fresh = await run_in_threadpool(change_password, *values, **_origin(request))
    except (LoginFailed, NotEnabled, TooManyAttempts, UnfitPassword) as error:
        name = actor.name if actor else ""
        return password_form(name, problem=_sentence(error), status=_STATUS[type(error)])
    return _with_cookie(request, RedirectResponse("/", 303), fresh)


def _logged_in(request: Request) -> Actor | None:
    actor = actor_of(request.cookies.get(SESSION_COOKIE, ""))
    with read() as session:
        return actor if actor and role_of(session, actor) is not None else None


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form. Raises Refusal: 404 without passwords, 413 too long."""
    if auth() is not Auth.LOCAL:
        raise _not_understood(404, "Logging in with a password is off here.")
    if (body := await body_of(request, MAX_FORM_BYTES)) is None:
        raise _not_understood(413, "That is too much for a name and a password.")
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=10, errors="strict")
    except ValueError as error:  # also UnicodeDecodeError
        raise _not_understood(400, "This is not a form.") from error
    return {name: values[-1] for name, values in fields.items()}


def _origin(request: Request) -> dict[str, str]:
    return {"address": client_address(request), "browser": request.headers.get("user-agent", "")}


def _with_cookie(request: Request, response: Response, token: str) -> Response:
    age = LOGIN_DAYS * 24 * 3600
    response.set_cookie(
        SESSION_COOKIE, token, max_age=age, path="/", httponly=True, samesite="lax", secure=is_https(request.url.scheme)
    )
    return response


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


LOGIN_ROUTES: Sequence[BaseRoute] = [
    Route("/login", show_login, methods=["GET"]),
    Route("/login", take_login, methods=["POST"]),
    Route("/logout", take_logout, methods=["POST"]),
    Route("/password", show_password, methods=["GET"]),
    Route("/password", take_password, methods=["POST"]),
]
