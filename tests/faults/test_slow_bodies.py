"""Strangers who open many requests and hardly send anything: saves go on beside them."""

import socket
from contextlib import ExitStack, suppress

import pytest

from annotate.review.article_view import ENDPOINT
from annotate.review.verdicts import sign
from tests.support.browser import Server, serving
from tests.support.making import paper, query, store, verdict
from tests.support.wire import post

CONNECTIONS = 150


def begun(server: Server, text: str) -> socket.socket:
    """A connection on which so much was sent and nothing more comes."""
    made = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    made.sendall(text.format(port=server.port).encode())
    return made


BEGINNINGS = {
    "nothing": "",
    "a line of the head": "POST /api/review HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n",
    "some of the body": (
        "POST /api/review HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{"
    ),
    "some of a login": (
        "POST /login HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nname="
    ),
}


@pytest.mark.sqlite("the app's process")
def test_saves_go_on_beside_requests_that_never_end(home):
    store(paper(pmid="1"))
    token, sent = sign("Anna", 1), []
    with serving(home) as server, ExitStack() as held:
        for text in BEGINNINGS.values():
            for _ in range(CONNECTIONS // len(BEGINNINGS)):
                held.enter_context(begun(server, text))
            given = [verdict(number) for number in range(3)]
            for event in given:
                status, answer = post(server, ENDPOINT, token=token, events=[event])
                assert (status, answer["stored"]) == (200, [event["id"]])
            sent += given
        given_up = held.enter_context(begun(server, BEGINNINGS["some of the body"]))
        headless = (BEGINNINGS["nothing"], BEGINNINGS["a line of the head"])
        never_begun = [held.enter_context(begun(server, text)) for text in headless]
        assert given_up.recv(100).startswith(b"HTTP/1.1 408 ")  # after BODY_SECONDS
        for connection in never_begun:  # after HEAD_SECONDS
            with suppress(ConnectionResetError):
                assert connection.recv(100) == b""
    assert query("SELECT count(*) FROM verdict") == [(len(sent),)]
