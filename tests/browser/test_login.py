"""Logging in and out in a real browser, with a password and with an identity provider; what becomes of open work."""

import json
import secrets
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotate.project.acting import OPERATOR, acting
from annotate.project.rights import Role
from annotate.team import people
from tests.support.browser import CHROMIUM, Server, chromium, new_page, serving, wait_for_run, wait_until_saved
from tests.support.making import paper, query, store
from tests.support.provider import Provider, forging, providing
from tests.support.team import PASSWORD, add, history
from tests.support.waiting import wait_until

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")


@pytest.fixture
def local(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The app for a team with passwords."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with acting(OPERATOR):
        store(paper(pmid="1"))
    add("Ada", Role.ADMIN)
    add("Anna")
    with serving(home) as running:
        yield running


def log_in(page: Any, name: str) -> None:
    """Fills the form in that is open, and waits for the page behind it."""
    page.fill("#name", name)
    page.fill("#password", PASSWORD)
    page.click("button")
    wait_for_run(page)


def said(page: Any, text: str) -> None:
    """Waits until the page says so."""
    page.get_by_text(text).first.wait_for()


@needs_browser
def test_a_page_whose_login_ended_keeps_its_verdicts_until_the_person_is_back(local: Server) -> None:
    with chromium() as browser:
        page = new_page(browser, local.url)
        page.goto(f"{local.url}/review?article=1")
        page.get_by_text("Log in with your password").click()
        log_in(page, "anna")
        assert page.url == f"{local.url}/review?article=1"
        page.wait_for_selector('.reader[data-ready="1"]')
        page.keyboard.press("]")
        page.keyboard.press("m")
        wait_until_saved(page)
        with acting(OPERATOR):
            people.end_sessions(people.find("Anna"))
        page.keyboard.press("]")
        page.keyboard.press("m")
        said(page, "You are logged out: log in again as the same person. 1 verdict is kept")
        assert query("SELECT count(*) FROM verdict") == [(1,)]
        page.get_by_role("link", name="Log in, and come back here").click()
        log_in(page, "Anna")
        page.wait_for_selector('.reader[data-ready="1"]')
        wait_until(lambda: query("SELECT count(*), count(DISTINCT annotator_id) FROM verdict") == [(2, 1)])
        wait_until_saved(page)


@needs_browser
def test_a_click_without_the_right_is_answered_in_words(local: Server) -> None:
    with acting(OPERATOR):
        people.set_role(people.find("Anna"), Role.CURATOR)
    with chromium() as browser:
        page = new_page(browser, local.url)
        page.goto(f"{local.url}/login?next=/queue")
        log_in(page, "Anna")
        page.get_by_role("button", name="Settings").click()
        page.get_by_role("button", name="Save").wait_for()
        with acting(OPERATOR):
            people.set_role(people.find("Anna"), Role.ANNOTATOR)
        page.get_by_role("button", name="Save").click()
        said(page, "Not allowed: Anna may not set the queue.")
        assert "Traceback" not in page.inner_text("body")
    assert ("Anna", "Anna may not set the queue") in history("refused")


@needs_browser
def test_logging_out_in_one_tab_logs_the_others_out_at_their_next_click(local: Server) -> None:
    with chromium() as browser:
        page = new_page(browser, local.url)
        page.goto(f"{local.url}/login?next=/people")
        log_in(page, "Ada")
        said(page, "First password")
        other = page.context.new_page()
        other.goto(f"{local.url}/queue")
        wait_for_run(other)
        other.get_by_role("button", name="Ada").click()
        other.get_by_role("button", name="Log out", exact=True).click()
        said(other, "You are logged out.")
        page.get_by_role("button", name="Log out everywhere").click()
        said(page, "Not allowed: Ada may not manage people and their roles.")
        page.reload()
        said(page, "You are logged out.")
        assert query("SELECT count(*) FROM login_session WHERE ended_at IS NULL") == [(0,)]
        other.get_by_text("Log in with your password").click()
        log_in(other, "Ada")
        other.wait_for_url(f"{local.url}/queue?view=articles")


# --- With an identity provider ---


@pytest.fixture
def provider() -> Iterator[Provider]:
    with providing() as running:
        yield running


@pytest.fixture
def oidc(home: Path, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The app for a team that logs in with the provider."""
    monkeypatch.setenv("KEYLINE_AUTH", "oidc")
    monkeypatch.setenv("STREAMLIT_SECRETS_FILES", str(tmp_path / "secrets.toml"))
    with acting(OPERATOR):
        people.add("Ada", Role.ADMIN, issuer=provider.address, subject="ada")
    server = Server(home)
    write_secrets(tmp_path, provider, server)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def write_secrets(folder: Path, provider: Provider, server: Server) -> None:
    """The file that names the provider, with a new secret for cookies."""
    values = {
        "redirect_uri": f"{server.url}/oauth2callback",
        "cookie_secret": secrets.token_hex(32),
        "client_id": "keyline",
        "client_secret": "a secret of the provider",
        "server_metadata_url": f"{provider.address}/.well-known/openid-configuration",
    }
    path = folder / "secrets.toml"
    path.write_text("[auth]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()))
    path.chmod(0o600)


def enter(page: Any, server: Server, subject: str = "1") -> None:
    """Logs in with the provider, as the person whom it knows by this subject."""
    page.goto(server.url)
    page.get_by_role("button", name="Log in").click()
    page.fill("input[name=sub]", subject)
    page.get_by_role("button", name="Authorize").click()


@needs_browser
def test_a_provider_s_person_waits_for_an_admin_and_can_be_logged_out(
    oidc: Server, provider: Provider, tmp_path: Path
) -> None:
    with chromium() as browser:
        page = new_page(browser, oidc.url)
        # A link of another site begins no login, the button does.
        page.goto(f"data:text/html,<a href='{oidc.url}/auth/login'>a prize</a>")
        page.get_by_role("link", name="a prize").click()
        said(page, "No login begins by a link of another site.")
        # Nor does an answer of the provider to a question that was never asked here.
        page.goto(f"{oidc.url}/oauth2callback?code=a&state=b")
        page.goto(oidc.url)
        said(page, "You are not logged in.")
        enter(page, oidc)
        said(page, "Your account is disabled, or waits for an admin to enable it.")
        assert query("SELECT issuer, subject, role, disabled FROM account WHERE subject = '1'") == [
            (provider.address, "1", "annotator", 1)
        ]
        with acting(OPERATOR):
            people.enable(people.find("Anna"))
        page.reload()
        said(page, "No articles yet")
        page.get_by_role("button", name="Anna").wait_for()
        with acting(OPERATOR):
            people.end_sessions(people.find("Anna"))
        page.reload()  # with the provider's cookie, which is still good
        said(page, "You are logged out.")
        enter(page, oidc)
        said(page, "No articles yet")
        # A link of another site logs nobody out, the button does.
        page.goto(f"data:text/html,<a href='{oidc.url}/auth/logout'>a prize</a>")
        page.get_by_role("link", name="a prize").click()
        said(page, "No logout begins by a link of another site.")
        page.goto(oidc.url)
        page.get_by_role("button", name="Anna").click()
        page.get_by_role("button", name="Log out", exact=True).click()
        page.get_by_role("button", name="End session").click()  # at the provider, which leads back
        said(page, "You are not logged in.")
        enter(page, oidc)
        said(page, "No articles yet")
        # The cookie of an old secret is nobody's.
        oidc.kill()
        write_secrets(tmp_path, provider, oidc)
        oidc.start()
        page.goto(oidc.url)
        said(page, "You are not logged in.")


@needs_browser
def test_an_identity_is_never_its_e_mail_and_nobody_becomes_admin_by_it(oidc: Server, provider: Provider) -> None:
    with chromium() as browser:
        for subject, name in (("ada", "Whatever"), ("mallory", "Ada")):
            provider.says(subject, name=name, email="ada@example.org", email_verified=False)
            page = new_page(browser, oidc.url)
            enter(page, oidc, subject)
            said(page, "No articles yet" if subject == "ada" else "waits for an admin")
    rows = query("SELECT name, role, disabled FROM account JOIN annotator ON annotator.id = annotator_id ORDER BY 1")
    assert rows == [("Ada", "admin", 0), ("Ada 2", "annotator", 1)]


@needs_browser
def test_a_token_that_is_not_of_the_provider_for_this_login_and_this_app_lets_nobody_in(
    provider: Provider, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEYLINE_AUTH", "oidc")
    monkeypatch.setenv("STREAMLIT_SECRETS_FILES", str(tmp_path / "secrets.toml"))
    server, past = Server(home), int(time.time()) - 100_000
    with forging(provider) as (forger, forged), chromium() as browser:
        write_secrets(tmp_path, forger, server)
        server.start()
        try:
            for claims in (
                {"key": 1},
                {"nonce": "x"},
                {"aud": "another app"},
                {"iss": provider.address},
                {"exp": past},
            ):
                forged.clear()
                forged.update(claims)
                page = new_page(browser, server.url)
                enter(page, server)
                page.wait_for_url(server.url + "/")
                said(page, "You are not logged in.")
                assert query("SELECT count(*) FROM account") == [(0,)], claims
            forged.clear()
            enter(page, server)
            said(page, "waits for an admin")
        finally:
            server.kill()


# --- From elsewhere ---


def handshake(server: Server, origin: str, host: str) -> str:
    """The status line that a websocket gets."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(
            f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Protocol: streamlit\r\n\r\n".encode()
        )
        return connection.recv(4096).decode("latin-1").partition("\r\n")[0]


def test_a_websocket_of_another_site_or_host_is_closed(local: Server) -> None:
    here = f"127.0.0.1:{local.port}"
    assert " 101 " in handshake(local, local.url, here)
    assert " 403 " in handshake(local, "http://evil.example", here)
    assert " 403 " in handshake(local, f"http://127.0.0.1:{local.port + 1}", here)  # which has this host's cookies
    assert " 403 " in handshake(local, "http://evil.example", "evil.example")
    assert " 403 " in handshake(local, local.url, "evil.example")
