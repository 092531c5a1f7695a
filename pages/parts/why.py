"""The answer to "why was this proposed?": worked out when an expert asks, so that opening an article stays quick."""

from itsdangerous import BadSignature
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse

from annotate.propose import NotEmbedded
from annotate.rankers import why
from annotate.verdicts import Expired, check_signature


async def explain_proposals(request: Request) -> JSONResponse:
    """What speaks for each proposal of the token's article: 200 {ranking, parts}, 403 for a bad or old signature.

    409 where the article or its labels changed and nothing was embedded since.
    """
    try:
        _, article_id = check_signature(request.query_params.get("token", ""))
    except Expired:
        return JSONResponse({"error": "expired"}, 403)
    except BadSignature:
        return JSONResponse({"error": "bad signature"}, 403)
    try:
        return JSONResponse(await run_in_threadpool(why, article_id))
    except NotEmbedded as error:
        return JSONResponse({"error": str(error)}, 409)
