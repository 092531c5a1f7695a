"""Connections on which no request's head comes: each would hold a socket of the server without end."""

import asyncio
from typing import Any

# Before the head is whole the app is not asked, so that no middleware sees it: the server's own protocol must.
from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEAD_SECONDS = 20.0


_made, _received = AutoHTTPProtocol.connection_made, AutoHTTPProtocol.data_received


def limit_heads() -> None:
    """From now on a connection is closed where a head is not whole HEAD_SECONDS after the connection or, on one that
    is used again, after the head's first byte. Once for a process; a second time changes nothing."""
    server: Any = AutoHTTPProtocol
    server.connection_made, server.data_received = _connection_made, _data_received


def _connection_made(protocol: Any, transport: asyncio.Transport) -> None:
    _made(protocol, transport)
    _expect_head(protocol)


def _data_received(protocol: Any, data: bytes) -> None:
    _received(protocol, data)
    if not _waits(protocol):
        _forget(protocol)
    elif getattr(protocol, "head_timer", None) is None:
        _expect_head(protocol)


def _waits(protocol: Any) -> bool:
    """Whether no request is being answered, so that what comes is of the next head."""
    return protocol.cycle is None or protocol.cycle.response_complete


def _expect_head(protocol: Any) -> None:
    protocol.head_timer = protocol.loop.call_later(HEAD_SECONDS, _give_up, protocol)


def _forget(protocol: Any) -> None:
    if timer := getattr(protocol, "head_timer", None):
        timer.cancel()
        protocol.head_timer = None


def _give_up(protocol: Any) -> None:
    protocol.head_timer = None
    is_http = protocol.transport.get_protocol() is protocol  # else it has become a websocket
    if is_http and _waits(protocol):
        protocol.transport.abort()
