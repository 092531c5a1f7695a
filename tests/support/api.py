"""The API as programs call it: a client, and the tokens of people."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from annotate.project.acting import OPERATOR, acting
from annotate.team import api_tokens
from pages.parts.api.shown import SHOWN
from pages.parts.server.site_gate import API, SiteGate
from tests.support.waiting import wait_until

SITE = "http://127.0.0.1:8501"


def token_of(name: str, purpose: str = "test") -> str:
    """A new token of this person."""
    with acting(OPERATOR):
        return api_tokens.make(purpose, name)


def _site() -> Starlette:
    """The API behind the gate of the site."""
    return Starlette(routes=list(SHOWN.routes), middleware=[Middleware(SiteGate)])


@contextmanager
def served() -> Iterator[str]:
    """The address at which the API answers, on a port of this machine, while the block lasts."""
    server = uvicorn.Server(uvicorn.Config(_site(), port=0, log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def program(token: str | None = None, **more: Any) -> TestClient:
    """A program that bears this token and calls the API by paths of its own, behind the gate of the site."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return TestClient(_site(), base_url=f"{SITE}{API}", headers=headers, **more)


def every_row(client: TestClient, path: str, limit: int) -> list[dict[str, Any]]:
    """All rows of a list, page by page."""
    rows: list[dict[str, Any]] = []
    cursor = ""
    while True:
        given = client.get(path, params={"limit": limit} | ({"cursor": cursor} if cursor else {}))
        assert given.status_code == 200, given.text
        assert len(given.json()["rows"]) <= limit
        rows += given.json()["rows"]
        if (cursor := given.json()["next"]) is None:
            return rows
