"""Uploads that are too much, sent straight to the running app: refused while they come, and the app goes on."""

import http.client
import json
import os
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import db.jobs
from annotate.jobs import job_process
from annotate.jobs.lifecycle import enqueue
from annotate.project.home import write
from annotate.project.rights import Right
from tests.support.browser import CHROMIUM, Server, choose_files, chromium, new_page, serving, wait_for_run

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")

MB = 1024 * 1024
BOUNDARY = "frontier"
HEAD = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="a.xml"; filename="a.xml"\r\nContent-Type: text/xml\r\n\r\n'
).encode()
TAIL = f"\r\n--{BOUNDARY}--\r\n".encode()


class Uploads:
    """Speaks to the upload address of an open tab with that tab's cookies."""

    def __init__(self, server: Server, request: Any) -> None:
        self.server = server
        self.folder = request.url.removeprefix(server.url).rpartition("/")[0]
        wanted = ("cookie", "x-xsrftoken")
        self.headers = {name: value for name, value in request.all_headers().items() if name in wanted}
        self.headers |= {"Host": f"127.0.0.1:{server.port}", "Origin": server.url}
        self.headers["Content-Type"] = f"multipart/form-data; boundary={BOUNDARY}"
        self.files = 0

    def put(self, size: int) -> int:
        """The status of a file of this size that is sent as browsers send it."""
        self.files += 1
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        try:
            connection.request("PUT", f"{self.folder}/{self.files}", HEAD + b"x" * size + TAIL, self.headers)
            return connection.getresponse().status
        except (ConnectionError, BrokenPipeError):  # answered and closed before the body was through
            return 413
        finally:
            connection.close()

    def put_without_length(self, size: int) -> tuple[int, int]:
        """(status, bytes sent until it came) of a file that is sent in chunks, of which the server is told no sum."""
        self.files += 1
        lines = [f"PUT {self.folder}/{self.files} HTTP/1.1", "Transfer-Encoding: chunked"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as connection:
            connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
            sent, piece = 0, HEAD
            while sent < size:
                try:
                    connection.sendall(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                except ConnectionError:
                    break
                sent += len(piece)
                piece = b"x" * MB
                if answered(connection):
                    break
            connection.settimeout(60)
            return int(connection.recv(4096).split(b" ")[1]), sent

    def put_with_false_length(self, declared: int, size: int) -> int:
        """The status where the header declares another length than what comes."""
        self.files += 1
        lines = [f"PUT {self.folder}/{self.files} HTTP/1.1", f"Content-Length: {declared}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as connection:
            connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + HEAD)
            left = size
            while left > 0 and not answered(connection):
                try:
                    connection.sendall(b"x" * min(left, MB))
                except ConnectionError:
                    break
                left -= MB
            connection.settimeout(60)
            return int(connection.recv(4096).split(b" ")[1])


def answered(connection: socket.socket) -> bool:
    """Whether an answer lies there."""
    connection.settimeout(0.01)
    try:
        return bool(connection.recv(1, socket.MSG_PEEK))
    except TimeoutError:
        return False
    finally:
        connection.settimeout(60)


@pytest.fixture
def uploads(home: Path) -> Iterator[Uploads]:
    """A tab that has uploaded one small file."""
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/import_articles")
        file = {"name": "small.xml", "mimeType": "text/xml", "buffer": b"<article/>"}
        with page.expect_request(lambda request: request.method == "PUT" and "upload_file" in request.url) as found:
            choose_files(page, page.locator("input[type=file]").first, file)
        page.get_by_text("small.xml").wait_for()
        yield Uploads(server, found.value)
        page.get_by_text("small.xml").wait_for()
        with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=10) as answer:
            assert answer.status == 200


def test_17_a_file_above_20_MB_is_refused_whatever_length_it_declares(uploads: Uploads) -> None:
    assert uploads.put(20 * MB - 1_000) == 204
    assert uploads.put(21 * MB) == 413
    status, sent = uploads.put_without_length(200 * MB)
    assert status == 413 and sent < 40 * MB
    assert uploads.put_with_false_length(21 * MB, 0) == 413
    assert uploads.put_with_false_length(1_000, 21 * MB) == 400


def test_18_all_files_of_a_tab_together_are_bounded_to_200_MB(uploads: Uploads) -> None:
    process = psutil.Process(uploads.server.process.pid)
    before = process.memory_info().rss
    statuses = [uploads.put(20_000_000) for _ in range(30)]
    assert statuses == [204] * 9 + [413] * 21
    grown = process.memory_info().rss - before
    assert grown < 400 * MB, json.dumps({"grown_mb": grown // MB})


def test_why_a_table_was_refused_stands_there_until_the_next_act_whatever_jobs_do_meanwhile(home: Path) -> None:
    from playwright.sync_api import expect

    job = enqueue("import", {})
    with write(Right.SYSTEM) as session:
        running = {"state": "running", **job_process.identity(os.getpid())}
        db.jobs.change(session, job, from_states=("queued",), **running)
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/import_articles")
        page.locator(".st-key-job_import").wait_for()
        page.get_by_role("tab", name="Gold").click()
        gold = page.get_by_role("tabpanel", name="Gold")
        table = {"name": "gold.csv", "mimeType": "text/csv", "buffer": b"<rss/>"}
        choose_files(page, gold.locator("input[type=file]"), table)
        page.get_by_role("button", name="Import gold").click()
        reason = page.get_by_text("needs a column")
        reason.wait_for()
        with write(Right.SYSTEM) as session:
            db.jobs.finish(session, job, "done", result={})
        page.locator(".st-key-job_import").wait_for(state="detached")  # the page was drawn anew
        wait_for_run(page)
        expect(reason).to_be_visible()
        gold.get_by_role("textbox", name="Whose verdicts").fill("Ben")
        gold.get_by_role("textbox", name="Whose verdicts").press("Enter")
        expect(reason).to_be_hidden()
