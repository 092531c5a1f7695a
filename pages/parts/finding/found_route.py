"""The HTTP route of the page Find: it saves what people say of articles that were found."""

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from pages.parts.server.routes import save_by

FIND_ENDPOINT = "/api/find"


async def save_found(request: Request) -> JSONResponse:
    """Saves judgements of the page Find, as `save_events`; the token names a question in place of an article."""
    from annotate.finding.asking.relevance import record  # noqa: PLC0415 (few pages ask it)

    return await save_by(request, record)


FOUND_ROUTE = Route(FIND_ENDPOINT, save_found, methods=["POST"])
