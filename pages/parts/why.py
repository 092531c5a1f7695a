"""The answer to "why was this proposed?": worked out when an expert asks, so that opening an article stays quick."""

from typing import Any

from itsdangerous import BadSignature
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse

import db.verdicts
from annotate.home import read
from annotate.propose import NotEmbedded
from annotate.queue import sees_proposals
from annotate.rankers import why
from annotate.verdicts import Expired, check_signature


async def explain_proposals(request: Request) -> JSONResponse:
    """What speaks for each proposal of the token's article: 200 {ranking, parts}, 403 for a bad or old signature.

    409 where the article or its labels changed and nothing was embedded since.
    """
    try:
        annotator, article_id = check_signature(request.query_params.get("token", ""))
    except Expired:
        return JSONResponse({"error": "expired"}, 403)
    except BadSignature:
        return JSONResponse({"error": "bad signature"}, 403)
    try:
        return JSONResponse(await run_in_threadpool(_why, annotator, article_id))
    except NotEmbedded as error:
        return JSONResponse({"error": str(error)}, 409)


def _why(annotator: str, article_id: int) -> dict[str, Any]:
    """Nothing of an article that this annotator reads without proposals."""
    with read() as session:
        known = db.verdicts.find_annotator(session, annotator) or 0
        shown = sees_proposals(session, known, article_id)
    return why(article_id) if shown else {"ranking": "", "parts": {}}
