"""The HTTP routes of the reader: it saves, answered only after the commit, asks for a new ranking, and asks why."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from annotate.active_learning.article_rankers import why_shown
from annotate.operations import prometheus
from annotate.project import logs
from annotate.project.refusals import note_refusal
from annotate.proposing.propose import NotEmbedded
from annotate.review.article_view import (
    AUDIT_ENDPOINT,
    ENDPOINT,
    PRACTICE_ENDPOINT,
    RANK_ENDPOINT,
    WHY_ENDPOINT,
    NoSuchArticle,
)
from annotate.review.verdicts import Signed, record
from pages.parts.frame.entries import FIRST
from pages.parts.server.login import LOGIN_ROUTES
from pages.parts.server.signed_requests import (
    Refusal,
    json_message,
    run_as,
    same_person,
    signed_message,
    with_refusals,
)
from pages.parts.shared.downloads import ENDPOINT as FILE_ENDPOINT
from pages.parts.shared.downloads import offered

# Ids on disk, and {id, reason} of the refused ones.
Outcome = tuple[list[str], list[dict[str, str | None]]]
# Rankings compute in the one interpreter that saves, too: side by side they end no sooner and keep verdicts waiting.
_RANKINGS = asyncio.Semaphore(1)


async def save_events(request: Request) -> Response:
    """Stores a page's events and names those on disk: 200 {stored, refused}; 401 and 403 as `signer` says."""
    return await save_by(request, record, Signed.ARTICLE)


async def save_audits(request: Request) -> Response:
    """Saves answers of the page Audit, as `save_events` does; 403 also for a person who may not audit."""
    from annotate.evaluation.audit import record as record_audits  # noqa: PLC0415 (with all that labels are made of: verdicts go without)

    return await save_by(request, lambda annotator, _, events: record_audits(annotator, events), Signed.ARTICLE)


async def save_practice(request: Request) -> Response:
    """Saves answers of the practice round, as `save_events` does; they make no verdicts."""
    from annotate.gold.practice import record as record_practice  # noqa: PLC0415 (with all that labels are made of: verdicts go without)

    return await save_by(request, record_practice, Signed.ARTICLE)


@with_refusals
async def save_by(request: Request, store: Callable[[str, int, list[Any]], Outcome], of: Signed) -> Response:
    """Saves events by `store`, which gets who says it, the number in the token of this kind, and the events."""
    message, actor, number = await signed_message(request, of)
    events = message.get("events")
    if not isinstance(events, list):
        raise Refusal(400, "needs a token and a list of events")
    stored, refused = await run_as(actor, store, actor.name, number, events)
    if refused:  # which no page of ours sends
        first = refused[0]["reason"]
        await run_as(actor, note_refusal, f"events of a page: {len(refused)}, the first because {first}")
    prometheus.count_events(len(stored), len(refused))
    return JSONResponse({"stored": stored, "refused": refused})


@with_refusals
async def rank_proposals(request: Request) -> Response:
    """Ranks the token's article again by all verdicts: 200 as `live_ranking.rank_now`, 404 without the article.

    The message's `places` are sentence -> rank of what must stay where it is on the screen.
    """
    from annotate.active_learning.live_ranking import rank_now  # noqa: PLC0415 (with all that it learns from: saving goes without)

    message, actor, article_id = await signed_message(request, Signed.ARTICLE)
    try:
        places = {int(position): int(rank) for position, rank in message.get("places", {}).items()}
    except (AttributeError, OverflowError, TypeError, ValueError):
        raise Refusal(400, "places are ranks by sentence") from None
    try:
        async with _RANKINGS:
            return JSONResponse(await run_as(actor, rank_now, actor.name, article_id, places=places))
    except NoSuchArticle as error:
        raise Refusal(404, str(error)) from error


@with_refusals
async def explain_proposals(request: Request) -> Response:
    """What speaks for each proposal of the token's article, worked out when an expert asks: 200 {ranking, parts}; 401
    and 403 as `signer` says. 409 where the article or its labels changed and nothing was embedded since.
    """
    _, actor, article_id = await signed_message(request, Signed.ARTICLE)
    try:
        return JSONResponse(await run_as(actor, why_shown, actor.name, article_id))
    except NotEmbedded as error:
        raise Refusal(409, str(error)) from error


@with_refusals
async def make_file(request: Request) -> Response:
    """The file {token, wanted} that a page offers, made for the person who is logged in: 200 with its content; 410
    where its tab is gone, 422 with the reason where there is none, 401 and 403 as `same_person` and the file's right
    say."""
    message = await json_message(request)
    try:
        actor, file = offered(str(message.get("token")), str(message.get("wanted")))
    except LookupError:
        raise Refusal(410, "gone") from None
    await same_person(request, actor, file.right)
    try:
        content = await run_as(actor, file.content)
    except (ValueError, LookupError, RuntimeError) as error:  # gone or damaged, as each kind of file says it
        logs.error("no file", error)
        raise Refusal(422, str(error)) from error
    named = f"attachment; filename*=UTF-8''{quote(file.name)}"
    return Response(content, media_type=file.media, headers={"Content-Disposition": named, "Cache-Control": "no-store"})


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
