"""The HTTP routes of the reader: it saves, answered only after the commit, has the rest ranked anew, and asks why."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from itsdangerous import BadSignature
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from annotate.reading import ENDPOINT, RANK_ENDPOINT, WHY_ENDPOINT, NoSuchArticle
from annotate.verdicts import Expired, check_signature, record
from pages.parts.why import explain_proposals

MAX_BODY_BYTES = 4_000_000
# Rankings share 40 threads with saving: a burst of sixty kept a verdict waiting for four seconds.
_RANKINGS = asyncio.Semaphore(4)


class _Refusal(Exception):
    """Why a message is not taken, and the HTTP status that says so."""

    def __init__(self, status: int, error: str) -> None:
        self.answer = JSONResponse({"error": error}, status)


async def _signed(request: Request) -> tuple[dict[str, Any], str, int]:
    """(message, annotator, article id) of a request whose token is genuine and fresh. Raises _Refusal."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise _Refusal(413, "too large")
    try:
        message = json.loads(body)
        token = message["token"]
    except (ValueError, KeyError, TypeError) as error:
        raise _Refusal(400, "needs a JSON object with a token") from error
    if not isinstance(token, str):
        raise _Refusal(400, "needs a token")
    try:
        return message, *check_signature(token)
    except Expired as error:
        raise _Refusal(403, "expired") from error
    except BadSignature as error:
        raise _Refusal(403, "bad signature") from error


async def save_events(request: Request) -> JSONResponse:
    """Stores a page's events and names those on disk: 200 {stored, refused}, 403 for a bad or old signature."""
    try:
        message, annotator, article_id = await _signed(request)
    except _Refusal as refusal:
        return refusal.answer
    events = message.get("events")
    if not isinstance(events, list):
        return JSONResponse({"error": "needs a token and a list of events"}, 400)
    stored, refused = await run_in_threadpool(record, annotator, article_id, events)
    return JSONResponse({"stored": stored, "refused": refused})


async def rank_proposals(request: Request) -> JSONResponse:
    """Ranks the token's article anew by all verdicts: 200 as `annotate.live.rank_now`, 403, 404 without the article.

    The message's `places` are sentence -> rank of what must stay where it is on the screen.
    """
    from annotate.live import rank_now  # noqa: PLC0415 (with all that it learns from: saving goes without)

    try:
        message, annotator, article_id = await _signed(request)
    except _Refusal as refusal:
        return refusal.answer
    try:
        places = {int(position): int(rank) for position, rank in message.get("places", {}).items()}
    except (AttributeError, OverflowError, TypeError, ValueError):
        return JSONResponse({"error": "places are ranks by sentence"}, 400)
    try:
        async with _RANKINGS:
            return JSONResponse(await run_in_threadpool(rank_now, annotator, article_id, places=places))
    except NoSuchArticle as error:
        return JSONResponse({"error": str(error)}, 404)


ROUTES: Sequence[BaseRoute] = [
    Route(ENDPOINT, save_events, methods=["POST"]),
    Route(RANK_ENDPOINT, rank_proposals, methods=["POST"]),
    Route(WHY_ENDPOINT, explain_proposals, methods=["GET"]),
]
