"""How long saves take while somebody who is not logged in opens websockets from another site, without end.

    python -m tests.measure.strangers [--json]

The bar: half of the saves take less than 0.1 s. Exit code 3: they took longer.
"""

import argparse
import os
import socket
import statistics
import tempfile
import threading
import time
from pathlib import Path

from annotate.review.article_view import ENDPOINT
from annotate.review.verdicts import sign
from tests.support.browser import Server, serving
from tests.support.figures import Line, milliseconds
from tests.support.making import store_proposed, verdict
from tests.support.wire import post

SAVES = 100
STRANGERS = 4


def knock(server: Server, over: threading.Event) -> None:
    """Opens one websocket after the other as a page of another site does, until it is over."""
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        "Origin: http://other.example",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    while not over.is_set():
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode())
            connection.recv(4096)


def saves(server: Server) -> list[float]:
    """Seconds of each of SAVES verdicts, one after the other."""
    token, taken = sign("Anna", 1), []
    for number in range(SAVES):
        began = time.perf_counter()
        status, _ = post(server, ENDPOINT, token=token, events=[verdict(number % 3)])
        assert status == 200
        taken.append(time.perf_counter() - began)
    return taken


def strangers() -> Line:
    """The median and the longest save without and with strangers at the door, in one run."""
    line = Line("strangers")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = f"{folder}/keyline"
        store_proposed(1)
        with serving(Path(folder) / "keyline") as server:
            saves(server)  # the first ones load what the app needs
            alone, over = saves(server), threading.Event()
            threads = [threading.Thread(target=knock, args=(server, over)) for _ in range(STRANGERS)]
            for thread in threads:
                thread.start()
            beside = saves(server)
            over.set()
            for thread in threads:
                thread.join()
    line.figures |= {"alone": milliseconds(alone), "beside strangers": milliseconds(beside)}
    line.limit("median seconds beside strangers", statistics.median(beside), 0.1)
    return line


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    raise SystemExit(strangers().report(as_json=parser.parse_args().json))
