"""What tests ask of the app by `post`: an answer that a kill cuts off counts as none, whatever its status."""

import json
import socket
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.wire import post

BODY = json.dumps({"error": "not saved"}).encode()


def answering(status: str, content: bytes, length: int) -> Any:
    """A server that gives one answer, whose head promises so many bytes, and ends it."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        with listener, listener.accept()[0] as connection:
            connection.recv(65_536)
            connection.sendall(f"HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n".encode() + content)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65_536):  # one that is closed with something unread is reset
                pass

    threading.Thread(target=answer, daemon=True).start()
    return SimpleNamespace(url=f"http://127.0.0.1:{listener.getsockname()[1]}")


@pytest.mark.parametrize("status", ["200 OK", "503 Service Unavailable"])
def test_an_answer_that_is_cut_off_is_nobodys(status):
    with pytest.raises(OSError, match="IncompleteRead"):
        post(answering(status, BODY[:5], len(BODY)), "/save", timeout=30)


@pytest.mark.parametrize("status", ["200 OK", "503 Service Unavailable"])
def test_a_whole_answer_is_given_with_its_status(status):
    assert post(answering(status, BODY, len(BODY)), "/save", timeout=30) == (int(status[:3]), json.loads(BODY))
