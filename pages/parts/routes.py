"""The HTTP routes of the reader: it saves, answered only after the commit, and asks why a sentence was proposed."""

import json
from collections.abc import Sequence

from itsdangerous import BadSignature
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from annotate.reading import ENDPOINT, WHY_ENDPOINT
from annotate.verdicts import Expired, check_signature, record
from pages.parts.why import explain_proposals

MAX_BODY_BYTES = 4_000_000


async def save_events(request: Request) -> JSONResponse:
    """Stores a page's events and names those on disk: 200 {stored, refused}, 403 for a bad or old signature."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            return JSONResponse({"error": "too large"}, 413)
    try:
        message = json.loads(body)
        token, events = message["token"], message["events"]
    except (ValueError, KeyError, TypeError):
        return JSONResponse({"error": "needs a JSON object with token and events"}, 400)
    if not isinstance(token, str) or not isinstance(events, list):
        return JSONResponse({"error": "needs a token and a list of events"}, 400)
    try:
        annotator, article_id = check_signature(token)
    except Expired:
        return JSONResponse({"error": "expired"}, 403)
    except BadSignature:
        return JSONResponse({"error": "bad signature"}, 403)
    stored, refused = await run_in_threadpool(record, annotator, article_id, events)
    return JSONResponse({"stored": stored, "refused": refused})


ROUTES: Sequence[BaseRoute] = [
    Route(ENDPOINT, save_events, methods=["POST"]),
    Route(WHY_ENDPOINT, explain_proposals, methods=["GET"]),
]
