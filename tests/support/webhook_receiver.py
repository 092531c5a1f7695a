"""A receiver of events, for tests: it takes what comes, or answers as it is told to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Came:
    """One request: its headers, its bytes, and what these say."""

    headers: dict[str, str]
    raw: bytes

    @property
    def event(self) -> dict[str, Any]:
        """The body."""
        return dict(json.loads(self.raw))


class Receiver:
    """What came, and what is answered: the statuses of `answers` one after the other, then 204."""

    def __init__(self) -> None:
        self.came: list[Came] = []
        self.answers: list[int] = []
        self.before: Callable[[], object] = lambda: None
        self.address = ""

    @property
    def names(self) -> list[str]:
        """The events that came."""
        return [came.event["event"] for came in self.came]


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Serves one on a port of this machine while the block lasts."""
    made = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            made.came.append(Came(dict(self.headers), raw))
            made.before()
            self.send_response(made.answers.pop(0) if made.answers else 204)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    made.address = f"http://127.0.0.1:{server.server_port}/keyline"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
