"""A request's body comes in time or not at all."""

import asyncio
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pages.parts.server import slow_bodies
from pages.parts.server.slow_bodies import UPLOADS, BodyInTime


async def take(request: Request) -> PlainTextResponse:
    """Answers with the length of the body, once it is there."""
    return PlainTextResponse(str(len(await request.body())))


SITE = Starlette(
    routes=[Route("/{rest:path}", take, methods=["GET", "POST", "PUT"])], middleware=[Middleware(BodyInTime)]
)


async def asked(method: str, path: str, chunks: list[bytes], pause: float) -> tuple[int, bytes]:
    """(status, body) of the answer to a body that comes in chunks with a pause before each, and never ends without."""
    waiting = list(chunks)
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(pause)
        if not waiting:
            await asyncio.Event().wait()
        chunk = waiting.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": chunk != b"end"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": [], "query_string": b"", "scheme": "http"}
    async with asyncio.timeout(30):
        await SITE(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.parametrize("chunks", [[], [b"x"], [b"x"] * 1_000])
def test_a_body_that_does_not_end_in_time_is_given_up(monkeypatch: pytest.MonkeyPatch, chunks: list[bytes]) -> None:
    monkeypatch.setattr(slow_bodies, "BODY_SECONDS", 0.05)
    assert asyncio.run(asked("POST", "/api/review", chunks, 0.01)) == (408, b"the request did not come in time")


def test_one_that_is_whole_in_time_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asyncio.run(asked("POST", "/api/review", [b"x", b"y", b"end"], 0.001)) == (200, b"5")


def test_an_upload_may_take_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_bodies, "BODY_SECONDS", 0.01)
    for uploads in UPLOADS:
        assert asyncio.run(asked("PUT", f"{uploads}a/b", [b"x", b"y", b"end"], 0.02)) == (200, b"5")
