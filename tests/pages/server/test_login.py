"""What a login puts an end to, and how many passwords a network may try."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyotp
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotate.project.rights import Role
from annotate.team.addresses import counted_place
from annotate.team.logins import PER_ADDRESS, LoginFailed, TooManyAttempts
from annotate.team.logins import log_in as try_password
from annotate.team.people import login_forgotten
from pages.parts.server import start
from pages.parts.server.routes import ROUTES
from tests.support.making import query
from tests.support.team import PASSWORD, add, cheap_hashes


@pytest.fixture(autouse=True)
def local(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Accounts with passwords, and hashes that cost next to nothing."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        yield


RIGHT = {"name": "Anna", "password": PASSWORD}


def client() -> TestClient:
    return TestClient(Starlette(routes=list(ROUTES)), follow_redirects=False)


def test_a_network_counts_as_one_address_with_ipv6() -> None:
    assert counted_place("2001:db8::1") == counted_place("2001:db8::ffff:1") == "2001:db8::/64"
    assert counted_place("::ffff:10.0.0.1") == counted_place("10.0.0.1") == "10.0.0.1"
    assert counted_place("fe80::1%eth0") == "fe80::/64" and counted_place("") == "" and counted_place("test") == "test"
    outcomes = []
    for number in range(PER_ADDRESS + 10):
        try:
            try_password(f"name {number}", "an entirely wrong password", address=f"2001:db8::{number:x}")
        except (LoginFailed, TooManyAttempts) as error:
            outcomes.append(type(error))
    assert outcomes.count(LoginFailed) == PER_ADDRESS and outcomes[-10:] == [TooManyAttempts] * 10
    add("Anna")
    assert try_password("Anna", PASSWORD, address="2001:db8:0:1::1")  # another network
    assert query("SELECT address FROM login_session") == [("2001:db8:0:1::1",)]


def test_a_login_ends_the_one_that_this_browser_had() -> None:
    add("Anna")
    add("Ben")
    shared = client()
    for name, password in (("Anna", PASSWORD), ("Ben", "an entirely wrong password"), ("Ben", PASSWORD)):
        shared.post("/login", data={"name": name, "password": password})
    names = "login_session JOIN account ON account.id = account_id JOIN annotator ON annotator.id = annotator_id"
    assert query(f"SELECT name, ended_at IS NULL FROM {names} ORDER BY login_session.id") == [("Anna", 0), ("Ben", 1)]


def test_a_second_factor_is_switched_on_asked_for_and_off_by_its_pages() -> None:
    add("Anna")
    anna = client()
    assert anna.get("/second-factor").headers["location"] == "/login?next=/second-factor"
    anna.post("/login", data=RIGHT)
    assert "It is off." in anna.get("/second-factor").text
    assert anna.post("/second-factor", data={"password": "an entirely wrong password"}).status_code == 401
    shown = anna.post("/second-factor", data={"password": PASSWORD})
    assert shown.status_code == 200 and "<svg" in shown.text and "style=" not in shown.text
    secret, given = (re.search(found, shown.text)[1] for found in ("<code>(.*)</code>", 'name="ticket" value="(.*)"'))
    assert "style-src 'sha256-" in shown.headers["content-security-policy"]

    def give(at: TestClient, given: str, code: str) -> Any:
        return at.post("/login/code", data={"ticket": given, "code": code, "next": "/gold"})

    wrong = give(anna, given, "000000")
    assert wrong.status_code == 401 and "The code is wrong, or was used before." in wrong.text and secret in wrong.text
    before = anna.cookies["keyline_session"]
    done = give(anna, given, pyotp.TOTP(secret).now())
    codes = re.search("<pre>(.*)</pre>", done.text, re.DOTALL)[1].split()
    assert len(codes) == 10 and 'href="/gold"' in done.text and anna.cookies["keyline_session"] != before
    assert "It is on" in anna.get("/second-factor").text
    other = client()
    asked = other.post("/login", data=RIGHT)
    assert asked.status_code == 200 and "set-cookie" not in asked.headers and secret not in asked.text
    given = re.search('name="ticket" value="(.*)"', asked.text)[1]
    assert give(other, given, codes[0]).headers["location"] == "/gold"
    assert "You are Anna" in other.get("/password").text
    assert give(client(), "forged", codes[1]).status_code == 401
    assert other.post("/second-factor", data={"password": PASSWORD, "code": codes[0]}).status_code == 401
    assert other.post("/second-factor", data={"password": PASSWORD, "code": codes[1]}).status_code == 303
    assert "It is off." in other.get("/second-factor").text and client().post("/login", data=RIGHT).status_code == 303


def test_an_app_whose_accounts_were_forgotten_does_not_start(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start.startup_checks, "check", lambda options: [])
    monkeypatch.delenv("KEYLINE_AUTH")
    assert not login_forgotten() and not list(home.glob("*.sqlite"))  # looking makes no file
    start.begin()
    add("Ada", Role.ADMIN)
    with pytest.raises(SystemExit, match="there are accounts, and KEYLINE_AUTH is not set"):
        start.begin()
    for said in ("local", "oidc", "off"):
        monkeypatch.setenv("KEYLINE_AUTH", said)
        start.begin()


def test_the_first_page_is_found_by_its_name_too() -> None:
    answer = client().get("/start?tour=1")
    assert (answer.status_code, answer.headers["location"]) == (307, "/?tour=1")
