"""Who asks: the peer of a real connection, or whom a trusted proxy names; what headers say otherwise is nothing."""

import asyncio
import contextlib
import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from annotate.team.logins import PER_ADDRESS
from pages.parts.server import connections
from pages.parts.server.connections import client_address, is_here
from pages.parts.server.login import LOGIN_ROUTES
from tests.support.team import cheap_hashes

PROXY, DIRECT = "127.0.0.1", "127.0.0.2"  # both are of this machine, which the server itself believes or not
CLIENT, FORGED = "203.0.113.9", "6.6.6.6"


async def told(request: Request) -> JSONResponse:
    """Who asks, and whether that is a program of this machine."""
    return JSONResponse([client_address(request), is_here(request)])


@contextlib.contextmanager
def listening(believes: str) -> Iterator[int]:
    """The port of a server such as the app's, whose own middleware believes these hosts what they say of others."""
    kind: Any = AutoHTTPProtocol
    before = kind.connection_made, kind.data_received
    connections.watch_connections()
    site = Starlette(routes=[Route("/told", told), *LOGIN_ROUTES])
    config = uvicorn.Config(site, port=0, log_level="warning", lifespan="off", forwarded_allow_ips=believes)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    try:
        while not server.started:
            thread.join(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        kind.connection_made, kind.data_received = before


@pytest.fixture(scope="module", params=["127.0.0.1", "127.0.0.2", "*"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    """Whatever the server's own middleware believes, the answer is the same."""
    with listening(request.param) as found:
        yield found


def asked(port: int, peer: str, *forwarded: str, method: str = "GET", path: str = "/told", body: str = "") -> Any:
    """The answer to a request from this address of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(peer, 0))
    connection.putrequest(method, path)
    for value in forwarded:
        connection.putheader("X-Forwarded-For", value)
    connection.putheader("Content-Type", "application/x-www-form-urlencoded")
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body.encode())
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


def address_of(port: int, peer: str, *forwarded: str) -> str:
    """Who asks, as the app sees it."""
    status, content = asked(port, peer, *forwarded)
    assert status == 200
    return str(json.loads(content)[0])


FORGERIES = [
    (FORGED,),
    (f"{FORGED}:4444",),
    ("[2001:db8::1]:4444",),
    ("2001:db8::1",),
    (f"{FORGED}:4444, {PROXY}",),
    (FORGED, "7.7.7.7:1"),
    (f"{DIRECT}, {FORGED}",),  # its own address, and another that it claims to ask for
    (f"{FORGED}, {DIRECT}",),
    (f"{DIRECT}, {PROXY}, {FORGED}",),
    ("unknown",),
    ("",),
]


@pytest.mark.parametrize("forwarded", FORGERIES)
def test_who_comes_directly_is_its_peer_whatever_it_writes(port, monkeypatch, forwarded) -> None:
    monkeypatch.delenv("KEYLINE_TRUSTED_PROXY", raising=False)
    assert {address_of(port, peer, *forwarded) for peer in (PROXY, DIRECT)} == {PROXY, DIRECT}
    monkeypatch.setenv("KEYLINE_TRUSTED_PROXY", PROXY)
    assert address_of(port, DIRECT, *forwarded) == DIRECT


def test_of_a_trusted_proxy_only_its_own_word_counts(port, monkeypatch) -> None:
    for proxy in (PROXY, DIRECT):
        monkeypatch.setenv("KEYLINE_TRUSTED_PROXY", proxy)
        for forwarded in (
            (CLIENT,),
            (f"{FORGED}, {CLIENT}",),
            (FORGED, CLIENT),  # a proxy that adds a header of its own
            (f"{FORGED}:1, {CLIENT}:4444",),
            (f"{proxy}, {FORGED}, {CLIENT}",),
        ):
            assert address_of(port, proxy, *forwarded) == CLIENT, forwarded
        assert address_of(port, proxy, f"{FORGED}, [2001:db8::7]:1") == "2001:db8::7"
        for nobody in (f"{FORGED}, what", f"{CLIENT}, ", "", proxy):
            assert address_of(port, proxy, nobody) == proxy
        assert address_of(port, proxy) == proxy


def test_through_several_trusted_proxies_the_last_host_that_is_none_of_them_counts(port, monkeypatch) -> None:
    monkeypatch.setenv("KEYLINE_TRUSTED_PROXY", f"{PROXY}, 10.0.0.0/24, ::1")
    assert address_of(port, PROXY, f"{FORGED}, {CLIENT}, 10.0.0.7") == CLIENT
    assert address_of(port, PROXY, f"{FORGED}, {CLIENT}, ::ffff:10.0.0.7, ::1") == CLIENT
    assert address_of(port, DIRECT, f"{FORGED}, {CLIENT}, 10.0.0.7") == DIRECT


def test_a_program_of_this_machine_is_told_from_a_proxy_and_from_who_only_claims_to_be_one(port) -> None:
    assert asked(port, PROXY)[1].endswith(b",true]")
    for forwarded in (PROXY, f"{FORGED}, {PROXY}", ""):
        assert asked(port, DIRECT, forwarded)[1].endswith(b",false]")


def test_guesses_of_who_forges_another_address_each_time_end_like_those_of_others(home, monkeypatch) -> None:
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    monkeypatch.setenv("KEYLINE_TRUSTED_PROXY", PROXY)

    def guessed(port: int, number: int) -> int:
        body = f"name=name{number}&password=an+entirely+wrong+password"
        forged = f"{DIRECT}, 6.6.6.{number}"
        return int(asked(port, DIRECT, forged, method="POST", path="/login", body=body)[0])

    with cheap_hashes(), listening("127.0.0.1") as port:
        codes = [guessed(port, number) for number in range(PER_ADDRESS + 3)]
    assert codes == [401] * PER_ADDRESS + [429] * 3
