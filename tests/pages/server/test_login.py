"""What a login puts an end to, and how many passwords a network may try."""

from collections.abc import Iterator
from pathlib import Path

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
    shared = TestClient(Starlette(routes=list(ROUTES)), follow_redirects=False)
    for name, password in (("Anna", PASSWORD), ("Ben", "an entirely wrong password"), ("Ben", PASSWORD)):
        shared.post("/login", data={"name": name, "password": password})
    names = "login_session JOIN account ON account.id = account_id JOIN annotator ON annotator.id = annotator_id"
    assert query(f"SELECT name, ended_at IS NULL FROM {names} ORDER BY login_session.id") == [("Anna", 0), ("Ben", 1)]


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
    answer = TestClient(Starlette(routes=list(ROUTES)), follow_redirects=False).get("/start?tour=1")
    assert (answer.status_code, answer.headers["location"]) == (307, "/?tour=1")
