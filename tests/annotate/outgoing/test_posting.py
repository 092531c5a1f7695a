"""Requests to addresses that people name: where they may lead, how long they may last, how much may come back."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from annotate.outgoing.addresses import NotSent, resolved, tidy_address
from annotate.outgoing.networks import is_public
from annotate.outgoing.posting import Answer, post

EVERYWHERE: Callable[..., bool] = lambda ip: True  # noqa: E731 (a test's own)


@contextmanager
def saying(*parts: bytes, pause: float = 0.0) -> Iterator[str]:
    """A server that answers one request with these bytes, waiting before each; its address."""
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65_536)
                for part in parts:
                    if ended.wait(pause):
                        return
                    try:
                        connection.sendall(part)
                    except OSError:
                        return

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        finally:
            ended.set()
            thread.join()


def send(address: str, *, seconds: float = 30, most_bytes: int | None = 1_000, allowed=EVERYWHERE) -> Answer:
    return post(address, b"{}", {"X-Own": "1"}, allowed=allowed, seconds=seconds, most_bytes=most_bytes)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nRetry-After: 3\r\n\r\n"


def test_the_answer_comes_back_whole_with_its_headers():
    with saying(HEAD + b"{}") as address:
        answer = send(address)
    assert (answer.status, answer.body, answer.headers["retry-after"], answer.good) == (200, b"{}", "3", True)


def test_a_redirect_is_an_answer_and_is_not_followed():
    with saying(b"HTTP/1.1 307 Go\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n") as address:
        answer = send(address)
    assert (answer.status, answer.good) == (307, False)


def test_an_answer_that_drips_ends_at_the_deadline():
    with (
        saying(HEAD[:20], *[HEAD[20:21]] * 1_000, pause=0.05) as address,
        pytest.raises(NotSent, match=r"within 0\.5 s"),
    ):
        send(address, seconds=0.5)


def test_an_answer_that_is_too_large_is_not_read_on():
    huge = b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b"x" * 5000
    with saying(huge) as address, pytest.raises(NotSent, match="larger than 1,000 bytes"):
        send(address)


def test_of_an_answer_that_nobody_wants_the_head_alone_is_waited_for():
    with saying(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n") as address:
        assert send(address, most_bytes=None).good


@pytest.mark.parametrize("nonsense", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
def test_what_is_no_answer_is_told_and_may_be_tried_again(nonsense):
    with saying(nonsense) as address, pytest.raises(NotSent, match="the connection failed") as caught:
        send(address)
    assert caught.value.again and not caught.value.free


def test_where_nobody_listens_nothing_was_sent():
    with pytest.raises(NotSent, match="cannot be reached") as caught:
        send("http://127.0.0.1:9/v1")
    assert caught.value.again and caught.value.free


def test_a_name_with_one_address_that_is_not_allowed_is_not_asked(monkeypatch):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, 80)) for ip in ("93.184.216.34", "10.0.0.7")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(NotSent, match=r"leads to 10\.0\.0\.7"):
        send("http://example.org/v1", allowed=is_public)
    assert resolved("example.org", 80, EVERYWHERE) == ["93.184.216.34", "10.0.0.7"]


def test_the_connection_goes_to_the_address_that_was_looked_at(monkeypatch):
    asked = []
    looked_up = socket.getaddrinfo

    def once(host, port, *rest, **named):
        asked.append(host)
        return looked_up("127.0.0.1" if host == "keyline.test" else host, port, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", once)
    with saying(HEAD + b"{}") as address:
        assert send(address.replace("127.0.0.1", "keyline.test")).good
    assert asked.count("keyline.test") == 1


@pytest.mark.parametrize("host", ["curation..example.org", "a" * 64 + ".org", ".example.org"])
def test_a_name_that_no_machine_can_have_is_refused_and_never_breaks_the_sending(host):
    with pytest.raises(ValueError, match="empty or longer than 63 characters"):
        tidy_address(f"https://{host}/keyline")
    with pytest.raises(NotSent, match="no name that a machine can have"):
        resolved(host, 443, is_public)


def test_a_name_that_is_nowhere_is_told():
    with pytest.raises(NotSent, match=r"nowhere\.invalid is not found"):
        send("http://nowhere.invalid/v1")


def test_an_address_keeps_its_port_its_path_and_the_slash_at_its_end():
    assert tidy_address(" https://[2001:db8::1]:8443/a/b/ ") == "https://[2001:db8::1]:8443/a/b/"
