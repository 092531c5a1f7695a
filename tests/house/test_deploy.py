"""The files of docs/deploy as they are, but for ports and paths: nginx in front of the app, and the unit."""

import http.client
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from annotate.project.acting import OPERATOR, acting
from annotate.project.rights import Role
from pages.parts.frame.entries import FIRST, entries
from tests.support.browser import (
    CHROMIUM,
    FLAGS,
    HEADLESS,
    ROOT,
    UNCOMPILED,
    Server,
    choose_files,
    free_port,
    go_on_to,
    serving,
)
from tests.support.making import paper, query, store
from tests.support.team import PASSWORD, add
from tests.support.waiting import wait_until

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
ANALYZE = shutil.which("systemd-analyze")
CONFIGURATION = ROOT / "docs" / "deploy" / "nginx.conf"
UNIT = ROOT / "docs" / "deploy" / "keyline.service"
NAME = "keyline.example.org"
MB = 1024 * 1024
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
pytestmark = pytest.mark.sqlite("the proxy knows no database")
# What a distribution's own nginx.conf says around the file, with every path in a folder of the test's own.
AROUND = """
{user}
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/keyline.conf;
}}
"""


@dataclass(frozen=True, slots=True)
class Proxy:
    """nginx with TLS on one port and the way there on another, in front of an app."""

    port: int
    plain_port: int
    app: Server
    trust: ssl.SSLContext

    @property
    def url(self) -> str:
        """Where a browser that takes NAME for this machine finds the app."""
        return f"https://{NAME}:{self.port}"

    def raw(self, request: str, *, body: bytes = b"", name: str = NAME) -> str:
        """The head of the answer to a request, by TLS to a name; empty where the connection is closed."""
        with (
            socket.create_connection(("127.0.0.1", self.port), timeout=30) as bare,
            self.trust.wrap_socket(bare, server_hostname=name) as connection,
        ):
            connection.sendall(request.replace("\n", "\r\n").encode() + body)
            return connection.recv(65_536).decode("latin-1").partition("\r\n\r\n")[0]

    def get(self, path: str, *, host: str | None = None) -> str:
        """The same for a plain GET."""
        return self.raw(f"GET {path} HTTP/1.1\nHost: {host or f'{NAME}:{self.port}'}\nConnection: close\n\n")

    def websocket(self, *, origin: str | None = None, host: str | None = None) -> str:
        """The first line that a websocket gets."""
        return self.raw(
            f"GET /_stcore/stream HTTP/1.1\nHost: {host or f'{NAME}:{self.port}'}\nOrigin: {origin or self.url}\n"
            "Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\nSec-WebSocket-Protocol: streamlit\n\n"
        ).partition("\r\n")[0]


def of_unit(setting: str) -> list[str]:
    """The values that the unit gives to a setting, in its order."""
    return re.findall(rf"^{setting}=(.*)$", UNIT.read_text(), re.MULTILINE)


def certificate(folder: Path) -> ssl.SSLContext:
    """Writes a key and a certificate for NAME; returns what trusts it."""
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout key.pem -out cert.pem"
    named = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    subprocess.run([*command.split(), *named], cwd=folder, check=True, capture_output=True)
    return ssl.create_default_context(cafile=str(folder / "cert.pem"))


def replaced(text: str, changes: dict[str, str]) -> str:
    """The text with every change made; a change that finds nothing is an error of the test."""
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


@contextmanager
def proxying(app: Server, folder: Path) -> Iterator[Proxy]:
    """nginx as this user, with docs/deploy/nginx.conf."""
    if NGINX is None or shutil.which("openssl") is None:
        pytest.skip("needs nginx and openssl (Debian: nginx-light, openssl)")
    made = Proxy(free_port(), free_port(), app, certificate(folder))
    changes = {
        "listen 80": f"listen 127.0.0.1:{made.plain_port}",
        "listen 443": f"listen 127.0.0.1:{made.port}",
        "127.0.0.1:8501": f"127.0.0.1:{app.port}",
        f"/etc/letsencrypt/live/{NAME}/fullchain.pem": f"{folder}/cert.pem",
        f"/etc/letsencrypt/live/{NAME}/privkey.pem": f"{folder}/key.pem",
    }
    (folder / "keyline.conf").write_text(replaced(CONFIGURATION.read_text(), changes))
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=user))
    command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    tested = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert tested.returncode == 0 and "[emerg]" not in tested.stderr, tested.stderr
    process = subprocess.Popen(command)
    try:
        wait_until(lambda: listens(made.port))
        yield made
    finally:
        process.terminate()
        process.wait(30)


def listens(port: int) -> bool:
    """Whether somebody does on this port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def patch() -> Iterator[pytest.MonkeyPatch]:
    """What changes settings for all tests of the proxy."""
    with pytest.MonkeyPatch.context() as changing:
        yield changing


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory, patch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """The app as the unit starts it, with an admin and an article, behind nginx; the tests share it."""
    tmp_path = tmp_path_factory.mktemp("deployed")
    home = tmp_path / "keyline"
    patch.setenv("KEYLINE_HOME", str(home))
    patch.delenv("DATABASE_URL", raising=False)
    for line in of_unit("Environment"):
        name, _, value = line.partition("=")
        if name != "KEYLINE_HOME":
            patch.setenv(name, value)
    with acting(OPERATOR):
        store(paper(pmid="1"))
    add("Ada", Role.ADMIN)
    (command,) = of_unit("ExecStart")
    arguments = shlex.split(command)[3:]
    assert arguments == [f"--server.allowedHosts={NAME}", "--server.allowedHosts=127.0.0.1"]
    folder = tmp_path / "nginx"
    folder.mkdir()
    with serving(home, *arguments, as_people_do=True) as app, proxying(app, folder) as made:
        yield made


def test_the_proxy_speaks_tls_sends_the_headers_and_keeps_what_is_the_server_s_to_itself(proxy: Proxy) -> None:
    answer = proxy.get("/")
    assert answer.startswith("HTTP/1.1 200")
    headers = [line.partition(": ")[::2] for line in answer.split("\r\n")[1:]]
    names = [name.lower() for name, _ in headers]
    found = {name.lower(): value for name, value in headers}
    for name in ("strict-transport-security", "content-security-policy", "x-frame-options", "x-content-type-options"):
        assert names.count(name) == 1, name
    assert found["strict-transport-security"] == "max-age=31536000; includeSubDomains"
    assert "frame-ancestors 'none'" in found["content-security-policy"]
    assert (found["x-frame-options"], found["server"]) == ("DENY", "nginx")

    for path in (
        "/metrics",
        "/_stcore/metrics",
        "/_stcore/agent/x",
        "/%6detrics",
        "//metrics",
        "/x/../_stcore/metrics",
    ):
        assert proxy.get(path).startswith("HTTP/1.1 404"), path
    assert proxy.get("/healthz").startswith("HTTP/1.1 200")

    plain = http.client.HTTPConnection("127.0.0.1", proxy.plain_port, timeout=30)
    plain.request("GET", "/review?article=1", headers={"Host": NAME})
    moved = plain.getresponse()
    assert (moved.status, moved.getheader("Location")) == (301, f"https://{NAME}/review?article=1")
    moved.read()
    plain.request("GET", "/api/v1/articles", headers={"Host": NAME})
    assert plain.getresponse().status == 403
    plain.close()


@pytest.mark.parametrize(
    ("version", "ciphers"), [("TLSv1_2", "AES128-SHA"), ("TLSv1_2", "ECDHE-RSA-AES128-SHA"), ("TLSv1_1", "ALL")]
)
def test_the_proxy_takes_no_weak_cipher_and_no_old_version(proxy: Proxy, version: str, ciphers: str) -> None:
    weak = ssl.create_default_context()
    weak.check_hostname, weak.verify_mode = False, ssl.CERT_NONE
    weak.set_ciphers(f"{ciphers}:@SECLEVEL=0")
    weak.minimum_version, weak.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion[version]
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=30) as bare, pytest.raises(ssl.SSLError):
        weak.wrap_socket(bare, server_hostname=NAME)


def test_the_proxy_answers_to_its_name_alone_and_opens_websockets_to_its_own_pages_alone(proxy: Proxy) -> None:
    assert " 101 " in proxy.websocket()
    assert " 403 " in proxy.websocket(origin="https://evil.example")
    for host in ("evil.example", "127.0.0.1", f"evil.{NAME}"):
        assert proxy.websocket(host=host, origin=f"https://{host}") == ""
        assert proxy.get("/", host=host) == ""
    with pytest.raises(ssl.SSLError, match="UNRECOGNIZED_NAME"):
        proxy.raw("GET / HTTP/1.1\n\n", name="evil.example")


def test_an_upload_of_22_MB_ends_at_the_proxy(proxy: Proxy) -> None:
    def answered(size: int) -> str:
        head = f"PUT /_stcore/upload_file/none/none HTTP/1.1\nHost: {NAME}\nOrigin: https://{NAME}\n"
        head += f"Content-Length: {size}\n\n"
        return proxy.raw(head, body=b"x" * (size if size < 20 * MB else 0)).partition("\r\n")[0]

    assert answered(22 * MB) == "HTTP/1.1 413 Request Entity Too Large"
    # Reaches the app, which takes no file from whoever has no page open.
    assert answered(MB) == "HTTP/1.1 403 Forbidden"


@needs_browser
def test_somebody_logs_in_through_the_proxy_and_every_page_opens_within_its_policy(proxy: Proxy) -> None:
    from playwright.sync_api import sync_playwright

    refused: list[str] = []
    with sync_playwright() as playwright:
        flags = [*FLAGS, UNCOMPILED, f"--host-resolver-rules=MAP {NAME} 127.0.0.1"]
        browser = playwright.chromium.launch(executable_path=HEADLESS, args=flags)
        context = browser.new_context(
            ignore_https_errors=True,
            extra_http_headers={"X-Forwarded-For": "6.6.6.6"},
            viewport={"width": 1440, "height": 900},
        )
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: refused.append(message.text) if by_policy(message) else None)
        page.goto(f"{proxy.url}/login?next=/review?article=1")
        page.fill("#name", "Ada")
        page.fill("#password", PASSWORD)
        page.click("button")
        page.wait_for_selector('.reader[data-ready="1"]')
        for name, entry in entries().items():
            go_on_to(page, "" if name == FIRST else name, entry.title)
        page.goto(f"{proxy.url}/import_articles")
        large = {"name": "large.xml", "mimeType": "text/xml", "buffer": b"<article/>" + b" " * (19 * MB)}
        with page.expect_response(lambda answer: "upload_file" in answer.url) as uploaded:
            choose_files(page, page.locator("input[type=file]").first, large)
        assert uploaded.value.status == 204
        (cookie,) = [each for each in context.cookies() if each["httpOnly"] and "keyline" in each["name"]]
        browser.close()
    assert refused == []
    assert cookie["secure"]
    assert query("SELECT address FROM login_session") == [("127.0.0.1",)]


def by_policy(message: Any) -> bool:
    """Whether the browser says that a policy kept it from something."""
    return message.type == "error" and "Content Security Policy" in message.text


@pytest.mark.skipif(ANALYZE is None, reason="needs systemd-analyze (Debian: systemd)")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "keyline.service"
    here = {"/opt/keyline/.venv/bin/streamlit": f"{Path(sys.prefix)}/bin/streamlit", "/opt/keyline": str(ROOT)}
    unit.write_text(replaced(UNIT.read_text(), here))
    done = subprocess.run([str(ANALYZE), "verify", str(unit)], capture_output=True, text=True, check=False)
    ours = [line for line in (done.stdout + done.stderr).splitlines() if "keyline" in line]
    assert done.returncode == 0 and ours == []
