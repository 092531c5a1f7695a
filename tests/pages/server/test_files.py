"""The route of files: made for whoever is logged in there, refused with a reason otherwise."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotate.gold.snapshots import DamagedSnapshot, NoSuchSnapshot
from annotate.project.acting import OPERATOR, acting, current_actor
from annotate.project.rights import Right, Role
from annotate.team import people
from pages.parts.frame.who import SESSION_COOKIE
from pages.parts.server.routes import ROUTES
from pages.parts.shared import downloads
from pages.parts.shared.downloads import ENDPOINT, File, offer
from tests.support.team import add, browser, cheap_hashes, history

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def tab(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, object]]:
    """The state of a browser tab's session, outside of Streamlit."""
    state: dict[str, object] = {}
    monkeypatch.setattr(downloads.st, "session_state", state)
    monkeypatch.setattr(downloads, "_mount", lambda *, key, data: state.update({key: data}))
    yield state


def ask(shown: dict[str, object], name: str, cookie: str = "") -> tuple[int, str]:
    """(status, text) that the route answers a tab that was shown these buttons."""
    client = TestClient(Starlette(routes=list(ROUTES)), cookies={SESSION_COOKIE: cookie})
    data = shown["files_here"]
    (wanted,) = [file["wanted"] for file in data["files"] if file["name"] == name]  # type: ignore[index]
    answer = client.post(str(data["endpoint"]), json={"token": data["token"], "wanted": wanted})  # type: ignore[index]
    return answer.status_code, answer.text


def told() -> File:
    return File("CSV", "gold.csv", "text/csv", Right.GOLD, lambda: f"for {current_actor().name}")


def test_a_file_is_made_on_the_click_and_noted_before_it_leaves(tab: dict[str, object]) -> None:
    done: list[str] = []
    make = lambda: done.append("made") or "a,b\r\n"  # noqa: E731
    offer([File("CSV", "é gold.csv", "text/csv", Right.GOLD, make, note=lambda: done.append("noted"))], key="here")
    assert done == []
    assert ask(tab, "é gold.csv") == (200, "a,b\r\n") and done == ["made", "noted"]
    client = TestClient(Starlette(routes=list(ROUTES)))
    data = tab["files_here"]
    answer = client.post(ENDPOINT, json={"token": data["token"], "wanted": data["files"][0]["wanted"]})  # type: ignore[index]
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''%C3%A9%20gold.csv"


def test_whoever_loses_the_right_gets_no_file_any_more(tab: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        cora = add("Cora", Role.CURATOR)
    cookie, actor = browser("Cora")
    with acting(actor):
        offer([told()], key="here")
    assert ask(tab, "gold.csv", cookie) == (200, "for Cora")  # outside of the script, where nobody is known
    with acting(OPERATOR):
        people.set_role(cora, Role.ANNOTATOR)
    cookie, _ = browser("Cora")
    assert ask(tab, "gold.csv", cookie)[0] in {401, 403}
    with acting(actor), pytest.raises(downloads.Forbidden, match="Cora may not see all labels"):
        told().content()
    assert ("Cora", "Cora may not see all labels, export and freeze gold") in history("refused")


def test_the_address_of_one_persons_file_is_no_use_in_another_browser(
    tab: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        add("Cora", Role.CURATOR)
        add("Dan", Role.CURATOR)
    cookie, actor = browser("Cora")
    with acting(actor):
        offer([told()], key="here")
    assert ask(tab, "gold.csv", browser("Dan")[0])[0] == 401 and ask(tab, "gold.csv")[0] == 401
    assert ask(tab, "gold.csv", cookie)[0] == 200


@pytest.mark.parametrize("reason", [ValueError, NoSuchSnapshot, DamagedSnapshot])
def test_what_cannot_be_made_is_said(tab: dict[str, object], reason: type[Exception]) -> None:
    def fail() -> str:
        raise reason("the snapshot 'May' is gone")

    offer([File("CSV", "gold.csv", "text/csv", Right.GOLD, fail)], key="here")
    assert ask(tab, "gold.csv") == (422, '{"error":"the snapshot \'May\' is gone"}')


def test_a_page_that_was_left_and_a_button_that_is_off_give_no_file(tab: dict[str, object]) -> None:
    offer([told()], key="here")
    offer([told()], key="here", disabled=True)
    assert ask(tab, "gold.csv") == (410, '{"error":"gone"}')
    offer([told()], key="here")
    shown = {"files_here": tab["files_here"]}
    tab.clear()
    assert ask(shown, "gold.csv") == (410, '{"error":"gone"}')
    client = TestClient(Starlette(routes=list(ROUTES)))
    assert [client.post(ENDPOINT, content=body).status_code for body in ("", "[]", "{}", "{")] == [400, 400, 410, 400]
