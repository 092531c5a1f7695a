"""Connections before the app is asked: whose each is, and how long the head of a request may take."""

import asyncio
import ipaddress
from typing import Any

from starlette.requests import Request

# Before the head is whole the app is not asked, so that no middleware sees it: the server's own protocol must.
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from annotate.team.addresses import is_trusted_proxy

HEAD_SECONDS = 20.0
# Under it the state of a request holds the host at the other end of its connection. Its `client` is no such thing: the
# server has put there what a header says, of all that comes from this machine.
PEER = "keyline.peer"
# What proxies tell by for whom they ask.
FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip")

_made, _received = AutoHTTPProtocol.connection_made, AutoHTTPProtocol.data_received


def watch_connections() -> None:
    """From now on each request tells its peer, and a slow connection is closed. A head must be whole HEAD_SECONDS after
    the connection began or, on one that is used again, after the head's first byte.

    Once for a process; a second time changes nothing.
    """
    server: Any = AutoHTTPProtocol
    server.connection_made, server.data_received = _connection_made, _data_received


def _connection_made(protocol: Any, transport: asyncio.Transport) -> None:
    name = transport.get_extra_info("peername")
    # What the server copies into the state of every request of this connection.
    protocol.app_state = {**protocol.app_state, PEER: str(name[0]) if isinstance(name, tuple) else ""}
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


def client_address(request: Request) -> str:
    """Where a request comes from: its peer or, where that is a trusted proxy, whom it asks for.

    Each proxy adds the host that asked it at the end of X-Forwarded-For, so that earlier entries may be forged: the
    last host counts that is no trusted proxy itself.
    """
    peer = _peer(request)
    if not is_trusted_proxy(peer):
        return peer
    hosts = [part for header in request.headers.getlist("x-forwarded-for") for part in header.split(",")]
    for host in map(_without_port, reversed(hosts)):
        if not _is_address(host):
            break
        if not is_trusted_proxy(host):
            return host
    return peer


def is_here(request: Request) -> bool:
    """Whether a program on this machine asks, and not a proxy on it for somebody else."""
    peer = _peer(request)
    forwarded = any(name in request.headers for name in FORWARDED)
    return not forwarded and _is_address(peer) and ipaddress.ip_address(peer).is_loopback


def _peer(request: Request) -> str:
    """The host at the other end of the connection; "" for a socket of this machine, which has no host."""
    known = getattr(request.state, PEER, None)
    return known if known is not None else request.client.host if request.client else ""


def _without_port(part: str) -> str:
    """The host of "host", "host:port" or "[host]:port"."""
    part = part.strip()
    if part.startswith("["):
        return part[1:].partition("]")[0]
    return part.partition(":")[0] if part.count(":") == 1 else part


def _is_address(host: str) -> bool:
    try:
        return bool(ipaddress.ip_address(host))
    except ValueError:
        return False
