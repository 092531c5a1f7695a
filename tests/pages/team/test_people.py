"""Logging in by the real routes, the reader's routes as somebody, and the page on which admins manage people."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from annotate.project.acting import OPERATOR, Forbidden, acting
from annotate.project.home import write
from annotate.project.rights import Right, Role
from annotate.review.article_view import ENDPOINT, RANK_ENDPOINT, WHY_ENDPOINT, reading_view
from annotate.review.verdicts import record, sign
from annotate.team import passwords, people
from annotate.team.people import any_accounts
from db.rows import change
from db.tables import Account
from pages.parts.frame import who
from pages.parts.server.login import local_address
from pages.parts.server.routes import ROUTES
from tests.support.making import paper, query, store, verdict
from tests.support.paths import PAGES
from tests.support.team import PASSWORD, add, browser, cheap_hashes, history, team
from tests.support.told import columns_of


@pytest.fixture(autouse=True)
def local(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Accounts with passwords, and hashes that cost next to nothing."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        yield


def client(address: str = "10.0.0.1") -> TestClient:
    return TestClient(Starlette(routes=list(ROUTES)), follow_redirects=False, client=(address, 1234))


def log_in(who_: TestClient, name: str = "Anna", password: str = PASSWORD, headers: Any = None, **more: str) -> Any:
    return who_.post("/login", data={"name": name, "password": password, **more}, headers=headers)


# --- /login, /logout, /password ---


def test_a_login_sets_a_cookie_that_scripts_cannot_read() -> None:
    add("Anna")
    anna = client()
    form = anna.get("/login", params={"next": "/review?article=5"})
    assert form.status_code == 200 and 'value="/review?article=5"' in form.text and "<script" not in form.text
    assert "default-src 'none'" in form.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in form.headers["content-security-policy"]
    answer = log_in(anna, next="/review?article=5")
    assert (answer.status_code, answer.headers["location"]) == (303, "/review?article=5")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("keyline_session=") and "Secure" not in cookie
    assert all(part in cookie for part in ("HttpOnly", "SameSite=lax", "Path=/", "Max-Age=1209600"))
    assert anna.get("/login").headers["location"] == "/"  # logged in already
    token = anna.cookies["keyline_session"]
    out = anna.post("/logout")
    assert out.status_code == 303 and 'keyline_session=""' in out.headers["set-cookie"]
    assert query("SELECT ended_at IS NULL FROM login_session") == [(0,)]
    anna.cookies["keyline_session"] = token
    assert anna.get("/login").status_code == 200


@pytest.mark.parametrize("how", ["scheme", "setting"])
def test_over_https_the_cookie_goes_nowhere_else(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    add("Anna")
    anna = TestClient(Starlette(routes=list(ROUTES)), base_url=f"http{'s' if how == 'scheme' else ''}://testserver")
    if how == "setting":
        monkeypatch.setenv("KEYLINE_HTTPS", "1")
    answer = anna.post("/login", data={"name": "Anna", "password": PASSWORD}, follow_redirects=False)
    assert "Secure" in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    "elsewhere",
    [
        "//evil.example",
        "http://evil.example",
        "/\\evil.example",
        "\\/evil.example",
        "javascript:alert(1)",
        "",
        "/ä",
        "/" + "x" * 600,
        "/a\nb",
    ],
)
def test_a_login_never_leads_elsewhere(elsewhere: str) -> None:
    add("Anna")
    assert local_address(elsewhere) == "/"
    assert log_in(client(), next=elsewhere).headers["location"] == "/"


def test_a_wrong_name_and_a_wrong_password_get_the_same_page() -> None:
    add("Anna")
    answers = [log_in(client(), name, "an entirely wrong password") for name in ("Anna", "Nobody")]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].text.replace("Anna", "Nobody") == answers[1].text
    assert 'role="alert">The name or the password is wrong.' in answers[0].text
    hostile = log_in(client(), '"><script>alert(1)</script>', "an entirely wrong password")
    assert "<script" not in hostile.text and "&lt;script&gt;" in hostile.text


def test_guesses_end_in_429_and_a_megabyte_is_never_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    add("Anna")
    assert log_in(client(), password="x" * 1_000_000).status_code == 413
    assert query("SELECT count(*) FROM login_attempt") == [(0,)]
    codes = [log_in(client(), password=f"wrong password {n}").status_code for n in range(12)]
    assert codes == [401] * 10 + [429] * 2


@pytest.mark.parametrize("body", [b"\xff\xfe", b"name=%ff&password=x", b"&".join([b"a=1"] * 50), b"", b"{}"])
def test_what_is_no_form_is_refused(body: bytes) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    assert client().post("/login", content=body, headers=headers).status_code in (400, 401)


def test_where_a_request_comes_from_is_believed_of_the_named_proxy_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    add("Anna")
    forwarded = {"x-forwarded-for": "6.6.6.6, 203.0.113.9"}

    def address(peer: str) -> str:
        log_in(client(peer), headers=forwarded)
        return query("SELECT address FROM login_session ORDER BY id DESC LIMIT 1")[0][0]

    assert address("10.0.0.2") == "10.0.0.2"
    monkeypatch.setenv("KEYLINE_TRUSTED_PROXY", "10.0.0.2")
    assert address("10.0.0.2") == "203.0.113.9" and address("10.0.0.3") == "10.0.0.3"


def test_without_an_account_the_page_says_how_to_make_the_first_one() -> None:
    assert not any_accounts()
    assert "python -m annotate people add NAME --role admin" in client().get("/login").text


def test_there_is_no_login_without_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    for mode in ("off", "oidc"):
        monkeypatch.setenv("KEYLINE_AUTH", mode)
        assert client().get("/login").headers["location"] == "/"
        assert log_in(client()).status_code == 404


def test_a_password_is_changed_by_its_owner() -> None:
    add("Anna")
    anna = client()
    assert anna.get("/password").headers["location"] == "/login?next=/password"
    log_in(anna)
    assert "You are Anna" in anna.get("/password").text
    new = "another fine password"

    def change(old: str, new: str, again: str) -> int:
        return anna.post("/password", data={"old": old, "new": new, "again": again}).status_code

    assert [
        change("wrong password!", new, new),
        change(PASSWORD, new, PASSWORD),
        change(PASSWORD, "short", "short"),
    ] == [
        401,
        400,
        400,
    ]
    assert change(PASSWORD, new, new) == 303 and "You are Anna" in anna.get("/password").text
    assert log_in(client()).status_code == 401 and log_in(client(), password=new).status_code == 303


# --- The reader's routes ---


@pytest.fixture
def anna() -> tuple[TestClient, str]:
    """Anna's browser, and the token of article 1 in it."""
    with acting(OPERATOR):
        store(paper(pmid="1"), paper(pmid="2"))
    team()
    token, actor = browser("Anna")
    at = client()
    at.cookies["keyline_session"] = token
    with acting(actor):
        return at, reading_view(1, "Anna")["token"]


def send(at: TestClient, token: str, *events: dict[str, Any]) -> tuple[int, str | None]:
    answer = at.post(ENDPOINT, json={"token": token, "events": list(events)})
    return answer.status_code, answer.json().get("error")


def test_whoever_is_logged_in_saves_under_their_name(anna: tuple[TestClient, str]) -> None:
    assert send(*anna, verdict(1)) == (200, None)
    assert anna[0].post(RANK_ENDPOINT, json={"token": anna[1]}).status_code == 200
    assert query("SELECT name FROM verdict JOIN annotator ON annotator.id = annotator_id") == [("Anna",)]


def ways_out() -> dict[str, Any]:
    """What ends Anna's page: {name: a change by an operator}."""
    anna_id = people.find("Anna")
    return {
        "disabled": lambda: people.disable(anna_id),
        "logged out by an admin": lambda: people.end_sessions(anna_id),
        "another password": lambda: people.set_password(anna_id, "another fine password"),
    }


@pytest.mark.parametrize("way", ["disabled", "logged out by an admin", "another password", "logout"])
def test_a_page_of_somebody_who_is_logged_out_saves_nothing(anna: tuple[TestClient, str], way: str) -> None:
    at, token = anna
    if way == "logout":
        kept = at.cookies["keyline_session"]
        at.post("/logout")
        at.cookies["keyline_session"] = kept
    else:
        with acting(OPERATOR):
            ways_out()[way]()
    assert send(at, token, verdict(1)) == (401, "logged out")
    assert at.post(RANK_ENDPOINT, json={"token": token}).status_code == 401
    assert at.post(WHY_ENDPOINT, json={"token": token}).status_code == 401
    assert query("SELECT count(*) FROM verdict") == [(0,)]


def test_a_page_speaks_for_its_own_person_in_their_own_browser_alone(anna: tuple[TestClient, str]) -> None:
    _, token = anna
    others, nobody = client(), client()
    others.cookies["keyline_session"] = browser("Cora")[0]
    assert send(others, token, verdict(1)) == send(nobody, token, verdict(1)) == (401, "logged out")
    with acting(OPERATOR):
        unowned = sign("Anna", 1)
    assert send(anna[0], unowned, verdict(1)) == (401, "logged out")
    assert send(anna[0], token[:-3] + "abc", verdict(1)) == (403, "bad signature")
    assert query("SELECT count(*) FROM verdict") == [(0,)]
    said = [words for _, words in history("refused")]
    assert "a page of Anna in a browser that is not logged in as Anna" in said
    assert "a message of a page that was not signed here" in said


def test_the_right_is_asked_within_the_transaction_that_stores(
    anna: tuple[TestClient, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is disabled after the message was looked at, and before it is stored, stores nothing."""

    def late(*values: Any) -> Any:
        with acting(OPERATOR):
            people.disable(people.find("Anna"))
        return record(*values)

    monkeypatch.setattr("pages.parts.server.routes.record", late)
    assert send(*anna, verdict(1)) == (403, "not allowed")
    assert query("SELECT count(*) FROM verdict") == [(0,)]
    assert ("Anna", "Anna may not review articles, and undo their own verdicts") in history("refused")


def test_what_no_page_of_ours_sends_is_refused_and_noted(anna: tuple[TestClient, str]) -> None:
    forged = (verdict(99_999), verdict(1) | {"value": "owner"}, verdict(1) | {"kind": "account"})
    for event in forged:
        assert anna[0].post(ENDPOINT, json={"token": anna[1], "events": [event]}).json()["stored"] == []
    assert anna[0].post(ENDPOINT, content=b"[" * 200_000).status_code == 400
    assert [who_ for who_, _ in history("refused")] == ["Anna"] * 3
    assert history("refused")[0][1] == "events of a page: 1, the first because the article has no sentence 99999"


def test_nobody_signs_or_saves_under_the_name_of_another(anna: tuple[TestClient, str]) -> None:
    _, actor = browser("Anna")
    with acting(actor):
        for forged in (lambda: sign("Cora", 1), lambda: record("Cora", 1, [verdict(1)])):
            with pytest.raises(Forbidden, match="Anna may not act as Cora"):
                forged()
    assert query("SELECT count(*) FROM verdict") == [(0,)]


def test_the_same_refusal_is_noted_once_a_minute(anna: tuple[TestClient, str]) -> None:
    for _ in range(20):
        send(client(), anna[1], verdict(1))
    assert len(history("refused")) == 1


def test_a_page_made_without_login_counts_no_more_once_there_is_one(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEYLINE_AUTH", "off")
    store(paper(pmid="1"))
    token = sign("Anna", 1)
    assert send(client(), token, verdict(1)) == (200, None)
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    assert send(client(), token, verdict(1)) == (401, "logged out")


# --- The page ---


@pytest.fixture
def as_ada(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page as an admin sees it."""
    team()
    token, _ = browser("Ada")
    monkeypatch.setattr(who, "session_token", lambda: token)
    run = AppTest.from_file(str(PAGES / "people.py"), default_timeout=30).run()
    assert not run.exception
    return run


def press(run: AppTest, label: str, number: int = 0) -> AppTest:
    run = [button for button in run.button if button.label == label][number].click().run()
    assert not run.exception
    return run


def said(run: AppTest) -> str:
    return " ".join(part.value for part in itertools.chain(run.error, run.success)).replace("\\", "")


def state() -> list[tuple[Any, ...]]:
    return query("SELECT name, role, disabled FROM account JOIN annotator ON annotator.id = annotator_id ORDER BY 1")


def test_of_each_role_the_page_tells_what_it_may_beyond_the_one_before(as_ada: AppTest) -> None:
    told = {caption.value.split("**")[1]: caption.value for caption in as_ada.caption if "** may" in caption.value}
    assert list(told) == list(Role) and sum("review articles" in words for words in told.values()) == 1
    assert told["maintainer"].endswith("\n\nbut not:\n- decide disputed sentences")
    assert told["annotator"].split("\n- ")[1] == "review articles, and undo their own verdicts"


def test_an_admin_adds_and_changes_people(as_ada: AppTest) -> None:
    run = as_ada
    assert columns_of(run, "People")["Name"] == ["Ada", "Anna", "Cora", "Mats"]
    run.text_input(key="person_name").set_value("Zoe [x](http//e)")
    run.text_input(key="person_password").set_value("short")
    run = press(run, "Add")
    assert "a password has 12 to 128 characters" in said(run)
    run.text_input(key="person_name").set_value("Zoe [x](http//e)")
    run.text_input(key="person_password").set_value(PASSWORD)
    run.selectbox(key="person_role").set_value(Role.CURATOR)
    run = press(run, "Add")
    assert "Zoe [x](http//e) may log in now." in said(run) and run.text_input(key="person_password").value == ""
    run = press(run.selectbox(key="person").set_value(1).run(), "Disable")
    run = run.selectbox(key="person").set_value(2).run()
    run.selectbox(key="role_2_curator").set_value(Role.MAINTAINER)
    run = press(run, "Set")
    assert state() == [
        ("Ada", "admin", 0),
        ("Anna", "annotator", 1),
        ("Cora", "maintainer", 0),
        ("Mats", "maintainer", 0),
        ("Zoe [x](http//e)", "curator", 0),
    ]
    with acting(OPERATOR), write(Right.SYSTEM) as session:
        change(session, Account, 1, totp_secret="A" * 32)
    run = press(run.selectbox(key="person").set_value(1).run(), "Take the second factor off")
    assert "Anna logs in by the password alone." in said(run)
    run = press(run.selectbox(key="person").set_value(1).run(), "Enable")
    run.text_input(key="password_of_1").set_value("another fine password")
    run = press(run, "Set the password")
    assert log_in(client(), password="another fine password").status_code == 303
    press(run, "Log out everywhere", 1)
    assert query("SELECT count(*) FROM login_session WHERE account_id = 1 AND ended_at IS NULL") == [(0,)]


def test_the_last_admin_cannot_leave(as_ada: AppTest) -> None:
    run = press(as_ada.selectbox(key="person").set_value(4).run(), "Disable")
    assert "this is the last admin" in said(run) and ("Ada", "admin", 0) in state()


def test_the_real_cost_of_a_password_is_that_of_the_library() -> None:
    parameters = passwords.PasswordHasher()
    assert (parameters.memory_cost, parameters.time_cost, parameters.parallelism) == (65536, 3, 4)


def test_an_address_with_a_query_survives_the_login() -> None:
    add("Anna")
    following = "/review?article=5&x=%2F"
    form = client().get(f"/login?next={quote(following, safe='')}").text
    assert 'value="/review?article=5&amp;x=%2F"' in form


def test_with_an_identity_provider_nobody_gets_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    team()
    monkeypatch.setenv("KEYLINE_AUTH", "oidc")
    _, ada = browser("Ada")
    with acting(ada):
        run = AppTest.from_function(forms, default_timeout=30).run()
    assert not run.text_input and [button.label for button in run.button] == ["Set", "Disable", "Log out everywhere"]


def forms() -> None:
    """What changes people, alone."""
    from annotate.team.people import people
    from pages.parts.team.people_forms import change_form

    change_form(people())
