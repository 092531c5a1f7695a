"""The API as programs call it: a client, and the tokens of people."""

from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from annotate.project.acting import OPERATOR, acting
from annotate.team import api_tokens
from pages.parts.api.shown import SHOWN
from pages.parts.server.site_gate import API, SiteGate

SITE = "http://127.0.0.1:8501"


def token_of(name: str, purpose: str = "test") -> str:
    """A new token of this person."""
    with acting(OPERATOR):
        return api_tokens.make(purpose, name)


def program(token: str | None = None, **more: Any) -> TestClient:
    """A program that bears this token and calls the API by paths of its own, behind the gate of the site."""
    site = Starlette(routes=list(SHOWN.routes), middleware=[Middleware(SiteGate)])
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return TestClient(site, base_url=f"{SITE}{API}", headers=headers, **more)


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
