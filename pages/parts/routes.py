"""The HTTP routes of the reader: it saves, answered only after the commit, has the rest ranked anew, and asks why."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from annotate import metrics
from annotate.acting import Actor
from annotate.reading import ENDPOINT, RANK_ENDPOINT, WHY_ENDPOINT, NoSuchArticle
from annotate.verdicts import record
from pages.parts.login import LOGIN_ROUTES
from pages.parts.signed import Refusal, run_as, signer
from pages.parts.why import explain_proposals

MAX_BODY_BYTES = 4_000_000
# Rankings share 40 threads with saving: a burst of sixty kept a verdict waiting for four seconds.
_RANKINGS = asyncio.Semaphore(4)


async def _signed(request: Request) -> tuple[dict[str, Any], Actor, int]:
    """(message, who acts, article id) of a request whose token is taken. Raises Refusal."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise Refusal(413, "too large")
    try:
        message = json.loads(body)
        token = message["token"]
    except (ValueError, KeyError, TypeError) as error:
        raise Refusal(400, "needs a JSON object with a token") from error
    if not isinstance(token, str):
        raise Refusal(400, "needs a token")
    return message, *await signer(request, token)


async def save_events(request: Request) -> JSONResponse:
    """Stores a page's events and names those on disk: 200 {stored, refused}; 401 and 403 as `signer` says."""
    try:
        message, actor, article_id = await _signed(request)
    except Refusal as refusal:
        return refusal.answer
    events = message.get("events")
    if not isinstance(events, list):
        return JSONResponse({"error": "needs a token and a list of events"}, 400)
    try:
        stored, refused = await run_as(actor, record, actor.name, article_id, events)
    except Refusal as refusal:
        return refusal.answer
    metrics.count_events(len(stored), len(refused))
    return JSONResponse({"stored": stored, "refused": refused})


async def rank_proposals(request: Request) -> JSONResponse:
    """Ranks the token's article anew by all verdicts: 200 as `annotate.live.rank_now`, 404 without the article.

    The message's `places` are sentence -> rank of what must stay where it is on the screen.
    """
    from annotate.live import rank_now  # noqa: PLC0415 (with all that it learns from: saving goes without)

    try:
        message, actor, article_id = await _signed(request)
    except Refusal as refusal:
        return refusal.answer
    try:
        places = {int(position): int(rank) for position, rank in message.get("places", {}).items()}
    except (AttributeError, OverflowError, TypeError, ValueError):
        return JSONResponse({"error": "places are ranks by sentence"}, 400)
    try:
        async with _RANKINGS:
            return JSONResponse(await run_as(actor, rank_now, actor.name, article_id, places=places))
    except Refusal as refusal:
        return refusal.answer
    except NoSuchArticle as error:
        return JSONResponse({"error": str(error)}, 404)


ROUTES: Sequence[BaseRoute] = [
    Route(ENDPOINT, save_events, methods=["POST"]),
    Route(RANK_ENDPOINT, rank_proposals, methods=["POST"]),
    Route(WHY_ENDPOINT, explain_proposals, methods=["GET"]),
    *LOGIN_ROUTES,
]
