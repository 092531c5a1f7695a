"""The answer to "why was this proposed?": worked out when an expert asks, so that opening an article stays quick."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

import db.review.verdicts
from annotate.active_learning.article_rankers import why
from annotate.project.home import read
from annotate.proposing.propose import NotEmbedded
from annotate.review.assignments import sees_proposals
from pages.parts.server.signed_requests import Refusal, run_as, signed_message


async def explain_proposals(request: Request) -> JSONResponse:
    """What speaks for each proposal of the token's article: 200 {ranking, parts}; 401 and 403 as `signer` says.

    409 where the article or its labels changed and nothing was embedded since.
    """
    try:
        _, actor, article_id = await signed_message(request)
        return JSONResponse(await run_as(actor, _why, actor.name, article_id))
    except Refusal as refusal:
        return refusal.answer
    except NotEmbedded as error:
        return JSONResponse({"error": str(error)}, 409)


def _why(annotator: str, article_id: int) -> dict[str, Any]:
    """Nothing of an article that this annotator reads without proposals."""
    with read() as session:
        known = db.review.verdicts.find_annotator(session, annotator) or 0
        shown = sees_proposals(session, known, article_id)
    return why(article_id) if shown else {"ranking": "", "parts": {}}
