"""Whose call it is: the token of the header Authorization, and nothing else, says so. Cookies are never looked at."""

import time
from collections import deque
from dataclasses import dataclass, field

from fastapi import HTTPException
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException as StarletteError
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotate.project import logs
from annotate.project.acting import ANONYMOUS, Actor, Forbidden, acting, demand
from annotate.project.home import look_up
from annotate.project.refusals import note_refusal
from annotate.project.rights import Right
from annotate.team.api_tokens import actor_of_token
from db.engine import DATABASE_ERRORS
from pages.parts.server.ops_routes import note_request
from pages.parts.server.signed_requests import MAX_BODY_BYTES
from pages.parts.server.site_gate import API

DOCUMENTATION, SPECIFICATION = "/docs", "/openapi.json"
IMPORTS = f"{API}/imports"
# As the pages' own uploads; the rest of the form is small.
MAX_FORM_BYTES = 20 * 1024 * 1024 + 64 * 1024
# What tells nothing of the project.
OPEN = (DOCUMENTATION, SPECIFICATION, "/static-offline-docs/")
SCRIPT = f"{OPEN[-1]}redoc.standalone.js"
CALLS, SECONDS = 600, 60.0
REMEMBERED = 1_000
UNKNOWN = "needs the header Authorization: Bearer with a token that counts; make one behind your name in Keyline"


@dataclass
class Pace:
    """How often each token was used in the last SECONDS."""

    _calls: dict[int | None, deque[float]] = field(default_factory=dict)

    def too_fast(self, token_id: int | None) -> int:
        """Counts a call; for how many seconds no more are taken, 0 where it is. One that is not taken counts not."""
        now = time.monotonic()
        calls = self._calls.pop(token_id, deque())
        self._calls[token_id] = calls  # the one used last stands last
        while len(self._calls) > REMEMBERED:
            del self._calls[next(iter(self._calls))]
        while calls and calls[0] <= now - SECONDS:
            calls.popleft()
        if len(calls) >= CALLS:
            return int(calls[0] + SECONDS - now) + 1
        calls.append(now)
        return 0


@dataclass
class TokenGate:
    """ASGI middleware: what comes behind it acts as the person of the token; 401 without one, 429 for one too fast."""

    app: ASGIApp
    pace: Pace = field(default_factory=Pace)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets in what may come in; each call is logged and timed."""
        path = scope["path"].removeprefix(API)
        if scope["type"] != "http" or path in OPEN or path.startswith(OPEN[-1]):
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._answer(scope, receive, noted)
        finally:
            # By the route's pattern: an address that somebody made up is no name of a metric.
            route = API + getattr(scope.get("route"), "path", "") if status != 404 or scope.get("route") else API
            note_request(scope["method"], route, status, time.perf_counter() - began)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            actor = await run_in_threadpool(_actor, Headers(scope=scope).getlist("authorization"))
            # A route is asked when all of a file is there: whether they may send one, before it comes.
            sends_file = scope["path"].startswith(IMPORTS)
            forbidden = await run_in_threadpool(_why_no_file, actor) if actor and sends_file else ""
        except DATABASE_ERRORS as error:
            logs.error("not done for a program", error)
            await JSONResponse({"error": "the database does not answer; try again"}, 503)(scope, receive, send)
            return
        if actor is None:
            await JSONResponse({"error": UNKNOWN}, 401, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
        elif seconds := self.pace.too_fast(actor.token_id):
            words = {"error": f"more than {CALLS} calls a minute: wait"}
            await JSONResponse(words, 429, {"Retry-After": str(seconds)})(scope, receive, send)
        elif forbidden:
            await JSONResponse({"error": forbidden}, 403)(scope, receive, send)
        else:
            with acting(actor):
                await self.app(scope, _limited(scope, receive), send)


def _limited(scope: Scope, receive: Receive) -> Receive:
    """The body as it comes, 413 as soon as it is too large. Raises FastAPI's own kind of error alone: another one it
    would call a body that cannot be read."""
    most = MAX_FORM_BYTES if scope["path"].startswith(IMPORTS) else MAX_BODY_BYTES
    count = 0

    async def counted() -> Message:
        nonlocal count
        try:
            message = await receive()
        except StarletteError as error:  # it did not come in time
            raise HTTPException(error.status_code, error.detail, dict(error.headers or {})) from error
        count += len(message.get("body", b""))
        if count > most:
            raise HTTPException(413, f"more than {most:,} bytes")
        return message

    return counted


def _actor(headers: list[str]) -> Actor | None:
    kind, _, token = headers[0].partition(" ") if len(headers) == 1 else ("", "", "")
    if kind.lower() != "bearer" or not token:
        return None
    actor = actor_of_token(token.strip())
    if actor is None:
        with acting(ANONYMOUS):
            note_refusal("a call with an API token that does not count")
    return actor


def _why_no_file(actor: Actor) -> str:
    """Why the caller may send no file; empty where they may."""
    with acting(actor):
        try:
            look_up(demand, Right.IMPORT)
        except Forbidden as error:
            note_refusal(error)
            return str(error)
    return ""
