"""The proxy's file for several projects is that for one, with all names and ports."""

import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from annotate.projects.proxy import nginx_of
from tests.house.test_deploy import AROUND, CONFIGURATION, NGINX, certificate, listens, replaced
from tests.support.answering import Answering, answering
from tests.support.browser import free_port
from tests.support.projects import projects
from tests.support.waiting import wait_until

SITES = {"crispr": {"address": "https://crispr.example.org"}, "trials": {"address": "https://trials.example.org"}}


def test_each_name_leads_to_its_port_and_all_else_is_as_for_one(tmp_path: Path) -> None:
    made = nginx_of(projects(tmp_path, **SITES))
    assert "map $host $keyline_port {\n    crispr.example.org 8601;\n    trials.example.org 8602;\n}" in made
    assert re.findall(r"server_name (.+);", made) == ["crispr.example.org trials.example.org"] * 2
    assert "proxy_pass http://127.0.0.1:$keyline_port;" in made and "keyline.example.org" not in made
    assert "ssl_certificate     /etc/letsencrypt/live/crispr.example.org/fullchain.pem;" in made
    before = {line for line in CONFIGURATION.read_text().splitlines() if line[:1] not in ("#", "")}
    changed = [line.split()[0] for line in sorted(before - set(made.splitlines()))]
    assert sorted(changed) == ["proxy_pass", "server_name", "ssl_certificate", "ssl_certificate_key"]


@pytest.mark.parametrize("address", [None, "http://crispr.localhost:8601", "https://crispr.example.org:8443"])
def test_a_project_without_such_a_name_is_refused(tmp_path: Path, address: str | None) -> None:
    with pytest.raises(ValueError, match="crispr: behind nginx a project needs an address"):
        nginx_of(projects(tmp_path, crispr={"address": address}, trials=None))


class Named(Answering):
    """An app that answers with its port and the host it was asked for."""

    def do_GET(self) -> None:
        """Answers."""
        self.answer(200, f"{self.server.server_address[1]} {self.headers['Host']}".encode())


@pytest.fixture
def apps() -> Iterator[list[int]]:
    """The ports of two such apps."""
    with ExitStack() as running:
        yield [int(running.enter_context(answering(Named)).rpartition(":")[2]) for _ in SITES]


@pytest.mark.skipif(NGINX is None or shutil.which("openssl") is None, reason="needs nginx and openssl")
def test_nginx_leads_each_name_to_its_own_app_and_no_other_name_anywhere(tmp_path: Path, apps: list[int]) -> None:
    trust, port = certificate(tmp_path), free_port()
    sites = {key: site | {"port": number} for (key, site), number in zip(SITES.items(), apps, strict=True)}
    changes = {
        "listen 80": f"listen 127.0.0.1:{free_port()}",
        "listen 443": f"listen 127.0.0.1:{port}",
        "/etc/letsencrypt/live/crispr.example.org/fullchain.pem": f"{tmp_path}/cert.pem",
        "/etc/letsencrypt/live/crispr.example.org/privkey.pem": f"{tmp_path}/key.pem",
    }
    (tmp_path / "keyline.conf").write_text(replaced(nginx_of(projects(tmp_path, **sites)), changes))
    (tmp_path / "nginx.conf").write_text(AROUND.format(folder=tmp_path, user="user root;" if os.geteuid() == 0 else ""))
    process = subprocess.Popen(
        [str(NGINX), "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"), "-e", str(tmp_path / "error.log")]
    )
    trust.check_hostname = False

    def asked(name: str) -> str:
        with (
            socket.create_connection(("127.0.0.1", port), timeout=30) as bare,
            trust.wrap_socket(bare, server_hostname=name) as connection,
        ):
            connection.sendall(f"GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n".encode())
            return b"".join(iter(lambda: connection.recv(4096), b"")).decode().partition("\r\n\r\n")[2]

    try:
        wait_until(lambda: listens(port))
        for (_, site), number in zip(SITES.items(), apps, strict=True):
            name = site["address"].removeprefix("https://")
            assert f"{number} {name}" in asked(name)
        with pytest.raises(ssl.SSLError):
            asked("keyline.example.org")
    finally:
        process.terminate()
        process.wait(30)
