"""What the API adds to the app: its routes. FastAPI is imported by the first request: starting the app goes without."""

from starlette.concurrency import run_in_threadpool
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.parts.frame.shown import Shown
from pages.parts.server.site_gate import API


async def api(scope: Scope, receive: Receive, send: Send) -> None:
    """The API as an ASGI application."""
    await (await run_in_threadpool(_application))(scope, receive, send)


def _application() -> ASGIApp:
    from pages.parts.api.application import application  # noqa: PLC0415 (takes a second to import)

    return application()


SHOWN = Shown(routes=[Mount(API, app=api)])
