"""The HTTP routes of the reader: it saves, answered only after the commit, asks for a new ranking, and asks why."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import BaseRoute, Route

from annotate.operations import prometheus
from annotate.review.article_view import (
    AUDIT_ENDPOINT,
    ENDPOINT,
    PRACTICE_ENDPOINT,
    RANK_ENDPOINT,
    WHY_ENDPOINT,
    NoSuchArticle,
)
from annotate.review.verdicts import record
from pages.parts.frame.entries import FIRST
from pages.parts.server.files import make_file
from pages.parts.server.login import LOGIN_ROUTES
from pages.parts.server.signed_requests import Refusal, note_refused, run_as, signed_message
from pages.parts.server.why_proposed import explain_proposals
from pages.parts.shared.downloads import ENDPOINT as FILE_ENDPOINT

# Ids on disk, and {id, reason} of the refused ones.
Outcome = tuple[list[str], list[dict[str, str | None]]]
# Rankings compute in the one interpreter that saves, too: side by side they end no sooner and keep verdicts waiting.
_RANKINGS = asyncio.Semaphore(1)


async def save_events(request: Request) -> JSONResponse:
    """Stores a page's events and names those on disk: 200 {stored, refused}; 401 and 403 as `signer` says."""
    return await save_by(request, record)


async def save_audits(request: Request) -> JSONResponse:
    """Saves answers of the page Audit, as `save_events` does; 403 also for a person who may not audit."""
    from annotate.evaluation.audit import record as record_audits  # noqa: PLC0415 (with all that labels are made of: verdicts go without)

    return await save_by(request, lambda annotator, _, events: record_audits(annotator, events))


async def save_practice(request: Request) -> JSONResponse:
    """Saves answers of the training round, as `save_events` does; they make no verdicts."""
    from annotate.gold.practice import record as record_practice  # noqa: PLC0415 (with all that labels are made of: verdicts go without)

    return await save_by(request, record_practice)


async def save_by(request: Request, store: Callable[[str, int, list[Any]], Outcome]) -> JSONResponse:
    """Saves events by `store`, which gets who says it, the number that the token names, and the events."""
    try:
        message, actor, article_id = await signed_message(request)
    except Refusal as refusal:
        return refusal.answer
    events = message.get("events")
    if not isinstance(events, list):
        return JSONResponse({"error": "needs a token and a list of events"}, 400)
    try:
        stored, refused = await run_as(actor, store, actor.name, article_id, events)
        if refused:
            await run_as(actor, note_refused, refused)
    except Refusal as refusal:
        return refusal.answer
    prometheus.count_events(len(stored), len(refused))
    return JSONResponse({"stored": stored, "refused": refused})


async def rank_proposals(request: Request) -> JSONResponse:
    """Ranks the token's article again by all verdicts: 200 as `live_ranking.rank_now`, 404 without the article.

    The message's `places` are sentence -> rank of what must stay where it is on the screen.
    """
    from annotate.active_learning.live_ranking import rank_now  # noqa: PLC0415 (with all that it learns from: saving goes without)

    try:
        message, actor, article_id = await signed_message(request)
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


async def show_first_page(request: Request) -> RedirectResponse:
    """Redirects from the name of the first page to the site's address, the only one under which Streamlit knows it."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/{query}", 307)


ROUTES: Sequence[BaseRoute] = [
    Route(f"/{FIRST}", show_first_page, methods=["GET"]),
    Route(ENDPOINT, save_events, methods=["POST"]),
    Route(AUDIT_ENDPOINT, save_audits, methods=["POST"]),
    Route(PRACTICE_ENDPOINT, save_practice, methods=["POST"]),
    Route(RANK_ENDPOINT, rank_proposals, methods=["POST"]),
    Route(WHY_ENDPOINT, explain_proposals, methods=["POST"]),
    Route(FILE_ENDPOINT, make_file, methods=["POST"]),
    *LOGIN_ROUTES,
]
