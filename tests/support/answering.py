"""Services that stand in for others, on a port of this machine."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Answering(BaseHTTPRequestHandler):
    """What takes a request; a service says in `do_GET` or `do_POST` what it answers."""

    def body(self) -> bytes:
        """What was sent."""
        return self.rfile.read(int(self.headers["Content-Length"]))

    def answer(self, status: int, content: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        """Answers at once; whoever asked may have waited long enough, or read enough, and be gone."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(content)

    def answer_json(self, content: object, status: int = 200) -> None:
        """The same with JSON."""
        self.answer(status, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@contextmanager
def answering(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address at which it answers while the block lasts."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
