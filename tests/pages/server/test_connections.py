"""A request's head comes in time, or its connection is closed; whoever is being answered is let be."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from websockets.asyncio.client import connect

from pages.parts.server import connections

HEAD_SECONDS = 0.4
PATIENCE_SECONDS = 60
LONGER = 4 * HEAD_SECONDS


@pytest.fixture(autouse=True)
def limited(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Heads of this process's servers are limited, and free again when the test ends."""
    server: Any = AutoHTTPProtocol
    before = server.connection_made, server.data_received
    monkeypatch.setattr(connections, "HEAD_SECONDS", HEAD_SECONDS)
    connections.watch_connections()
    yield
    server.connection_made, server.data_received = before


async def answer(request: Request) -> PlainTextResponse:
    """After a while."""
    await asyncio.sleep(float(request.query_params.get("after", "0")))
    return PlainTextResponse("here")


async def until_closed(reader: asyncio.StreamReader) -> bytes:
    """What comes until the server closes the connection, however it does."""
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


async def echo(socket: WebSocket) -> None:
    """Says once what it heard."""
    await socket.accept()
    await socket.send_text(await socket.receive_text())
    await socket.close()


def against_server(visit: Callable[[int], Awaitable[None]]) -> None:
    """Runs a visit to the port of a server."""

    async def both() -> None:
        site = Starlette(routes=[Route("/", answer), WebSocketRoute("/ws", echo)])
        server = uvicorn.Server(uvicorn.Config(site, port=0, log_level="warning", timeout_keep_alive=PATIENCE_SECONDS))
        running = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            await visit(server.servers[0].sockets[0].getsockname()[1])
        finally:
            server.should_exit = True
            await running

    async def in_time() -> None:
        await asyncio.wait_for(both(), PATIENCE_SECONDS)

    asyncio.run(in_time())


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\n"])
def test_a_head_that_does_not_end_is_given_up(sent: bytes) -> None:
    async def visit(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        assert await until_closed(reader) == b""

    against_server(visit)


def test_one_that_trickles_on_an_old_connection_is_given_up_too() -> None:
    async def visit(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.readuntil(b"here")).startswith(b"HTTP/1.1 200")
        closed = asyncio.create_task(until_closed(reader))
        while not closed.done():  # a byte at a time, for ever
            writer.write(b"X")
            await asyncio.wait([closed], timeout=HEAD_SECONDS / 10)
        assert closed.result() == b""

    against_server(visit)


def test_an_answer_may_take_longer_than_a_head() -> None:
    async def visit(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /?after={LONGER} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert (await reader.readuntil(b"here")).startswith(b"HTTP/1.1 200")

    against_server(visit)


def test_an_open_websocket_stays() -> None:
    async def visit(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/ws") as socket:
            await asyncio.sleep(LONGER)
            await socket.send("still here")
            assert await socket.recv() == "still here"

    against_server(visit)
