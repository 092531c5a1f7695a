"""Talks to the running app as a browser does, without one: Streamlit's websocket, and the reader's requests."""

import asyncio
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from tests.support.browser import COOKIE, Server

PATIENCE_SECONDS = 60
# Streamlit sends a large article in one message.
MAX_MESSAGE_BYTES = 200_000_000


class ScriptFailed(RuntimeError):
    """The page's script raised; the app shows the reader a box that says so."""


class Tab:
    """One session with the app, as one annotator: opens pages and waits until they are drawn."""

    def __init__(self, server: Server, annotator: str) -> None:
        self.server = server
        self.annotator = annotator

    async def __aenter__(self) -> Self:
        self.socket: ClientConnection = await connect(
            f"{self.server.url.replace('http', 'ws', 1)}/_stcore/stream",
            origin=self.server.url,  # type: ignore[arg-type]
            subprotocols=["streamlit"],  # type: ignore[list-item]
            additional_headers={"Cookie": f"{COOKIE}={quote(self.annotator)}"},
            max_size=MAX_MESSAGE_BYTES,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.socket.close()

    async def ask(self, page: str, query: str = "") -> None:
        """Asks for a page's script to run, whatever runs now."""
        message = BackMsg()
        message.rerun_script.page_name = page
        message.rerun_script.query_string = query
        await self.socket.send(message.SerializeToString())

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        """Takes whatever comes meanwhile, as a browser does; who reads nothing for long is cut off."""

        async def read_on() -> None:
            async for _ in self.socket:
                pass

        task = asyncio.create_task(read_on())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def open(self, page: str, query: str = "") -> list[str]:
        """Runs a page's script and waits for its end; returns the kinds of elements that it drew.

        Raises ScriptFailed where it drew an exception, TimeoutError where it did not end.
        """
        await self.ask(page, query)
        drawn: list[str] = []
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for data in self.socket:
                answer = ForwardMsg()
                answer.ParseFromString(data)  # type: ignore[arg-type]
                kind = answer.WhichOneof("type")
                if kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                    drawn.append(answer.delta.new_element.WhichOneof("type"))
                    if drawn[-1] == "exception":
                        raise ScriptFailed(f"{page}: {answer.delta.new_element.exception.message}")
                if kind == "script_finished" and answer.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                    return drawn
        raise ConnectionError(f"{page}: the app closed the connection")


def post(server: Server, path: str, *, timeout: float = PATIENCE_SECONDS, **message: Any) -> tuple[int, dict[str, Any]]:
    """(HTTP status, answer) of a request as the reader sends it. Raises OSError where nobody answers."""
    body = json.dumps(message).encode()
    headers = {"Content-Type": "application/json", "Origin": server.url}
    request = urllib.request.Request(server.url + path, body, headers)
    try:
        with _answer_to(request, timeout) as answer:
            content = answer.read()
    except http.client.HTTPException as error:  # it died between the answer's head and its body
        raise ConnectionError(f"{path}: {error}") from error
    return answer.status, json.loads(content) if content.startswith(b"{") else {"text": content.decode()}


def _answer_to(request: urllib.request.Request, timeout: float) -> Any:
    """The answer, also one that refuses."""
    try:
        return urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as refusal:
        return refusal


def resident_mb(server: Server) -> float:
    """Memory of the app's process."""
    assert server.process is not None
    return psutil.Process(server.process.pid).memory_info().rss / 1e6


def open_files(server: Server) -> int:
    """Open file descriptors of the app's process, sockets included."""
    assert server.process is not None
    return psutil.Process(server.process.pid).num_fds()
