"""The API put together: its routes, its documentation, and how errors are told: always {"error": words}."""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer
from fastapi_offline import FastAPIOffline
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from annotate.jobs.lifecycle import AlreadyRunning, leave_out_and_propose
from annotate.project import logs
from annotate.project.acting import Forbidden
from annotate.project.refusals import note_refusal
from annotate.proposing.propose import NotEmbedded
from annotate.review.article_view import NoSuchArticle
from db.engine import DATABASE_ERRORS
from model.proposing.bounded import SlowPattern
from pages.parts.api import articles, gold, jobs, reviewing
from pages.parts.api.shapes import NotThere, Problem
from pages.parts.api.token_gate import DOCUMENTATION, SCRIPT, SPECIFICATION, TokenGate
from pages.parts.frame.shown import shown_parts

ABOUT = """What the pages of Keyline do, for programs. Each call has a person's token (`Authorization: Bearer
keyline_...`, made behind the person's name at the top of each page) and may do and see what that person may then.
Lists come in pages: `next` is the `cursor` of the next one, null after the last."""
# The script of the documentation fetches a picture of its makers; their name next to it stays.
MAKERS_PICTURE = b"https://cdn.redoc.ly/redoc/logo-mini.svg"
NO_PICTURE = b"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"
AWAY = "the database is busy, away or full; try again"
PROBLEMS: dict[int | str, dict[str, Any]] = {
    401: {"model": Problem, "description": "No token, or one that does not count any more"},
    403: {"model": Problem, "description": "The person may not do this"},
    422: {"model": Problem, "description": "What was sent is not understood; `fields` say what is wrong where"},
    429: {"model": Problem, "description": "Too many requests: wait as long as Retry-After says"},
    409: {"model": Problem, "description": "Not now: work of this kind is being done, or things changed meanwhile"},
    413: {"model": Problem, "description": "Too much at once: 4 MB of JSON, 20 MB a file"},
    503: {"model": Problem, "description": "The database is busy or away: try again; nothing was changed"},
}


@lru_cache(maxsize=1)
def application() -> FastAPI:
    """The application, made once."""
    made = FastAPIOffline(
        docs_url=None,
        redoc_url=DOCUMENTATION,
        openapi_url=SPECIFICATION,
        title="Keyline",
        version="1",
        description=ABOUT,
        dependencies=[Security(HTTPBearer(auto_error=False, description="A person's token"))],
        responses=PROBLEMS,
        exception_handlers=_handlers(),
        separate_input_output_schemas=False,
    )
    of_parts = (import_module(part.api).router for part in shown_parts() if part.api)
    for router in (articles.router, reviewing.router, gold.router, *of_parts, jobs.imports, jobs.router):
        made.include_router(router)
    made.router.routes.insert(0, Route(SCRIPT, _script, methods=["GET"]))
    made.add_middleware(TokenGate)
    return made


def _script(_: Request) -> Response:
    return Response(_own_script(), media_type="text/javascript", headers={"Cache-Control": "max-age=3600"})


@lru_cache(maxsize=1)
def _own_script() -> bytes:
    """The script of the documentation, which then asks no other site for anything."""
    script = (files("fastapi_offline") / "static" / "redoc.standalone.js").read_bytes()
    return script.replace(MAKERS_PICTURE, NO_PICTURE)


def _handlers() -> dict[Any, Callable[[Request, Any], Any]]:
    handlers: dict[Any, Callable[[Request, Any], Any]] = {
        HTTPException: lambda _, error: _problem(error.status_code, error.detail, error.headers),
        RequestValidationError: _not_understood,
        Forbidden: _forbidden,
        **dict.fromkeys((AlreadyRunning, NotEmbedded), lambda _, error: _problem(409, str(error))),
        **dict.fromkeys((NoSuchArticle, NotThere), lambda _, error: _problem(404, str(error))),
        ValueError: lambda _, error: _problem(422, str(error)),
        ValidationError: _failed,  # a shape of our own that does not fit is no mistake of the caller's
        SlowPattern: _slow,
        Exception: _failed,
    }
    return handlers | dict.fromkeys(DATABASE_ERRORS, _away)


def _problem(status: int, words: str, headers: Any = None, **more: Any) -> JSONResponse:
    # Half of a surrogate pair, which somebody sent, cannot be sent back.
    return JSONResponse({"error": words.encode(errors="replace").decode(), **more}, status, headers)


def _not_understood(_: Request, error: RequestValidationError) -> JSONResponse:
    fields = [{"field": ".".join(map(str, each["loc"])), "problem": each["msg"]} for each in error.errors()]
    return _problem(422, "not understood", fields=fields)


def _forbidden(_: Request, error: Forbidden) -> JSONResponse:
    note_refusal(error)
    return _problem(403, str(error))


def _away(_: Request, error: Exception) -> JSONResponse:
    logs.error("not done for a program", error)
    return _problem(503, AWAY)


def _slow(request: Request, error: SlowPattern) -> JSONResponse:
    if not leave_out_and_propose(error):
        return _failed(request, error)
    return _problem(503, f"{error} and is left out from now on; ask again", {"Retry-After": "1"})


def _failed(_: Request, error: Exception) -> JSONResponse:
    return _problem(500, f"something went wrong; tell an admin this error: {logs.error('a call failed', error)}")
