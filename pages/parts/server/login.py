"""The HTTP routes of people with a password: /login, /logout, /password and /second-factor."""

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
    CodeNeeded,
    LoginFailed,
    NotEnabled,
    TooManyAttempts,
    actor_of,
    ask_for_second_factor,
    change_password,
    end_second_factor,
    has_second_factor,
    log_in,
    log_in_by_code,
    log_out,
)
from annotate.team.passwords import AT_ONCE, UnfitPassword
from annotate.team.people import any_accounts
from annotate.team.second_factor import read_ticket
from db.engine import DATABASE_ERRORS
from pages.parts.frame.who import SESSION_COOKIE
from pages.parts.server.connections import client_address
from pages.parts.server.login_html import code_form, login_form, password_form, plain, recovery_page, second_factor_form
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
    except CodeNeeded as needed:
        return code_form(needed.ticket, following=following)
    except (LoginFailed, NotEnabled, TooManyAttempts) as error:
        return login_form(following=following, name=name[:60], problem=_sentence(error), status=_STATUS[type(error)])
    return await _in_place_of_the_last(request, RedirectResponse(following, 303), token)


@_answered
async def take_code(request: Request) -> Response:
    """Logs in by a code of the second factor: 303 with the cookie, or the recovery codes of one that is switched on;
    the form again with 401 or 429."""
    form = await _form(request)
    following, ticket = local_address(form.get("next", "/")), form.get("ticket", "")
    try:
        token, codes = await run_in_threadpool(log_in_by_code, ticket, form.get("code", ""), **_origin(request))
    except (LoginFailed, TooManyAttempts) as error:
        problem, status = _sentence(error), _STATUS[type(error)]
        if (known := read_ticket(ticket)) is None:
            return login_form(following=following, problem=problem, status=status)
        return code_form(known, following=following, problem=problem, status=status)
    answer = recovery_page(codes, following=following) if codes else RedirectResponse(following, 303)
    return await _in_place_of_the_last(request, answer, token)


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


@_answered
async def show_second_factor(request: Request) -> Response:
    """The form that switches the second factor on or off, for a person who is logged in."""
    actor = await run_in_threadpool(_logged_in, request) if auth() is Auth.LOCAL else None
    if actor is None:
        return RedirectResponse("/login?next=/second-factor", 303)
    return second_factor_form(is_on=await run_in_threadpool(has_second_factor, actor))


@_answered
async def take_second_factor(request: Request) -> Response:
    """Switches the second factor off by a code, 303; or asks for a code of a new one; the form again with 401 or
    429."""
    token, form = request.cookies.get(SESSION_COOKIE, ""), await _form(request)
    password, code, address = form.get("password", ""), form.get("code"), client_address(request)
    try:
        async with _HASHING:
            if code is None:
                await run_in_threadpool(ask_for_second_factor, token, password, address=address)
            else:
                await run_in_threadpool(end_second_factor, token, password, code, address=address)
    except CodeNeeded as needed:
        return code_form(needed.ticket, following="/second-factor")
    except (LoginFailed, TooManyAttempts) as error:
        return second_factor_form(is_on=code is not None, problem=_sentence(error), status=_STATUS[type(error)])
    return RedirectResponse("/second-factor", 303)


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


async def _in_place_of_the_last(request: Request, response: Response, token: str) -> Response:
    """The response with the cookie of a new login, which ends the login that this browser had."""
    if before := request.cookies.get(SESSION_COOKIE, ""):
        await run_in_threadpool(log_out, before)
    return _with_cookie(request, response, token)


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
    Route("/login/code", take_code, methods=["POST"]),
    Route("/logout", take_logout, methods=["POST"]),
    Route("/password", show_password, methods=["GET"]),
    Route("/password", take_password, methods=["POST"]),
    Route("/second-factor", show_second_factor, methods=["GET"]),
    Route("/second-factor", take_second_factor, methods=["POST"]),
]
