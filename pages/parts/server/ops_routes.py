"""Routes for the person who runs the server: health and numbers; and the log and counts of every route."""

import time
from collections.abc import Awaitable, Callable, Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from annotate.jobs.repeating import note_click
from annotate.operations import prometheus
from annotate.operations.health import health
from annotate.project import logs
from pages.parts.server.connections import is_here

HEALTH_ENDPOINT = "/healthz"
METRICS_ENDPOINT = "/metrics"
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# Asked every few seconds by machines: a log of it would hide the rest.
QUIET = (HEALTH_ENDPOINT, METRICS_ENDPOINT)

# As nginx calls it.
HUNG_UP = 499

Endpoint = Callable[[Request], Awaitable[Response]]


async def healthz(_: Request) -> Response:
    """200 with the schema where the app can do its work, 503 with a reason in a word or two. Tells nothing else."""
    problem, schema = await run_in_threadpool(health)
    if problem:
        return JSONResponse({"status": problem}, 503)
    return JSONResponse({"status": "ok", "schema": schema})


async def metrics(request: Request) -> Response:
    """The metrics, with KEYLINE_METRICS=1 and asked for on this machine itself; else 404."""
    if not prometheus.on() or not is_here(request):
        return PlainTextResponse("Not Found", 404)
    return Response(await run_in_threadpool(prometheus.exposition), media_type=METRICS_TYPE)


def observed(routes: Sequence[BaseRoute]) -> list[BaseRoute]:
    """The routes, changed so that each of their requests is logged and timed."""
    return [
        Route(route.path, _observed(route.path, route.endpoint), methods=list(route.methods or ["GET"]))
        if isinstance(route, Route)
        else route
        for route in routes
    ]


def _observed(path: str, endpoint: Endpoint) -> Endpoint:
    async def answer(request: Request) -> Response:
        if path not in QUIET:
            note_click()
        began, status = time.perf_counter(), 500
        try:
            response = await endpoint(request)
            status = response.status_code
            return response
        except ClientDisconnect:  # the client has gone, and nothing of ours failed
            status = HUNG_UP
            return Response(status_code=HUNG_UP)
        finally:
            note_request(request.method, path, status, time.perf_counter() - began)

    return answer


def note_request(method: str, route: str, status: int, seconds: float) -> None:
    """Counts and times a request, and logs it unless machines ask all the time."""
    prometheus.REQUESTS.labels(route, str(status)).observe(seconds)
    if route not in QUIET:
        logs.event("request", method=method, route=route, status=status, seconds=round(seconds, 4))


OPS_ROUTES: Sequence[BaseRoute] = [
    Route(HEALTH_ENDPOINT, healthz, methods=["GET"]),
    Route(METRICS_ENDPOINT, metrics, methods=["GET"]),
]
