"""Every page for everybody: who is let in, who is told why not, and that nothing of a page is read before."""

import ast
import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
import streamlit as st
from bs4 import BeautifulSoup
from streamlit.testing.v1 import AppTest

from annotate.project.acting import ANONYMOUS, OPERATOR, Forbidden, acting
from annotate.project.rights import Right, Role, may
from annotate.team import people
from annotate.team.logins import actor_of
from pages.parts.frame import who
from pages.parts.frame.entries import PLACES, entries, moved, places
from pages.parts.frame.page import open_to_me
from pages.parts.server.start import page_failed
from tests.support.making import query
from tests.support.paths import PAGES as ROOM
from tests.support.queueing import choose_the_first
from tests.support.rights_calls import make_world
from tests.support.team import NAMES, add, browser, cheap_hashes, history
from tests.support.told import html

ALL = sorted(path.stem for path in ROOM.glob("*.py"))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A project with a team: {role, or "anonymous" or "disabled": token}."""
    with pytest.MonkeyPatch.context() as patch, cheap_hashes():
        patch.setenv("KEYLINE_HOME", str(tmp_path_factory.mktemp("world") / "keyline"))
        patch.setenv("KEYLINE_AUTH", "local")
        choose_the_first(patch)
        make_world()
        add("Dis", Role.ADMIN)
        tokens = {str(role): browser(name)[0] for name, role in NAMES.items()}
        tokens |= {"anonymous": "", "forged": "x" * 43, "disabled": browser("Dis")[0]}
        with acting(OPERATOR):
            people.disable(people.find("Dis"))
        yield tokens


def opened(monkeypatch: pytest.MonkeyPatch, page: str, token: str) -> AppTest:
    """The page in the browser that holds this token."""
    monkeypatch.setattr(who, "session_token", lambda: token)
    run = AppTest.from_file(str(ROOM / f"{page}.py"), default_timeout=60).run()
    assert not run.exception, (page, run.exception)
    return run


def verdict_on(run: AppTest) -> str:
    """What became of whoever opened the page."""
    if [part.value for part in run.subheader] == ["Log in"]:
        return "log in"
    locked = [part.value for part in run.error if part.icon == ":material/lock:"]
    return "not allowed" if locked else "let in"


def shows_nothing_else(run: AppTest) -> bool:
    """Whether no table, number, field or picture is on the page."""
    shown = (run.dataframe, run.metric, run.text_input, run.selectbox, run.number_input, run.text_area, run.tabs)
    return not any(len(kind) for kind in shown) and 'class="text-table"' not in html(run)


def test_every_page_has_a_right_and_every_right_of_a_page_a_page() -> None:
    assert sorted(entries()) == ALL
    assert {entry.right for entry in entries().values()} <= set(Right) - {Right.SYSTEM}


def test_every_page_has_a_title_and_an_icon_of_its_own_and_belongs_to_a_place() -> None:
    for part in ("title", "icon"):
        assert len({getattr(entry, part) for entry in entries().values()}) == len(entries())
    assert all(entry.icon.startswith(":material/") for entry in entries().values())
    assert [place for place, _ in groupby(entry.place for entry in entries().values())] == list(PLACES)


@pytest.mark.parametrize("page", ALL)
def test_every_page_asks_who_is_there_before_it_does_anything(page: str) -> None:
    """What stands above the call of open_page only names things."""
    for node in ast.parse((ROOM / f"{page}.py").read_text()).body:
        calls = [n.func.id for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
        if "open_page" in calls:
            assert calls == ["open_page"] and isinstance(node, ast.Expr | ast.Assign)
            return
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        named = isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef) or is_docstring
        assert named or (isinstance(node, ast.Assign) and not any(isinstance(n, ast.Call) for n in ast.walk(node)))
    pytest.fail("the page never opens")


@pytest.mark.parametrize("page", ALL)
def test_each_role_is_let_in_where_the_table_says_and_nowhere_else(
    world: dict[str, str], monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    for name, token in world.items():
        run = opened(monkeypatch, page, token)
        expected = "let in" if may(name, entries()[page].right) else "not allowed" if name in set(Role) else "log in"
        assert verdict_on(run) == expected, name
        if expected != "let in":
            assert shows_nothing_else(run), name


@pytest.mark.parametrize("page", [page for page in ALL if page != "history"])
def test_whoever_is_demoted_or_disabled_while_a_page_is_open_is_out_at_the_next_click(
    world: dict[str, str], monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    name = f"Open {page.replace('_', ' ')}"
    account_id = add(name, Role.ADMIN)
    run = opened(monkeypatch, page, browser(name)[0])
    assert verdict_on(run) == "let in"
    with acting(OPERATOR):
        people.set_role(account_id, Role.ANNOTATOR)
    allowed = may(Role.ANNOTATOR, entries()[page].right)
    assert verdict_on(run.run()) == ("let in" if allowed else "not allowed")
    with acting(OPERATOR):
        people.disable(account_id)
    run = run.run()
    assert verdict_on(run) == "log in" and shows_nothing_else(run) and not run.exception


def test_a_hidden_page_opened_by_its_address_says_whom_to_ask_and_is_noted(
    world: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = opened(monkeypatch, "people", world["curator"])
    assert [part.value for part in run.error] == ["Admins only."]
    assert "You are Cora, curator. Ask Ada." in [part.value for part in run.caption]
    assert ("Cora", "Cora may not open the page People") in history("refused")


def test_the_menu_lists_what_each_role_may_open(world: dict[str, str]) -> None:
    for name, token in world.items():
        with acting(actor_of(token) or ANONYMOUS):
            assert open_to_me() == {page for page, entry in entries().items() if may(name, entry.right)}, name


def test_an_expert_has_four_places_and_nobody_more_than_ten(world: dict[str, str]) -> None:
    found = {}
    for name in NAMES.values():
        with acting(actor_of(world[name])):
            found[name] = places(open_to_me(), extra=True)
    assert list(found[Role.ANNOTATOR]) == ["Start", "Review", "Find", "Articles"]
    assert list(found[Role.CURATOR]) == ["Start", "Review", "Find", "Articles", "Import", "Gold", "Model", "Team"]
    assert found[Role.CURATOR]["Model"] == ["check"]
    assert list(found[Role.MAINTAINER]) == list(found[Role.ADMIN]) == list(PLACES) and len(PLACES) == 10
    assert "people" not in found[Role.MAINTAINER]["Settings"] and "people" in found[Role.ADMIN]["Settings"]


def test_what_no_place_of_the_menu_leads_to_stands_behind_the_name(
    world: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    linked: dict[str, list[str]] = {}
    monkeypatch.setattr(st, "page_link", lambda page, **_: linked[name].append(Path(page).stem))
    for name in NAMES.values():
        linked[name] = []
        opened(monkeypatch, "start", world[name])
    lab = ["experiments", "simulate", "encoders"]
    behind = {Role.ANNOTATOR: ["practice", "history", "functions"], Role.CURATOR: ["functions"]}
    behind |= {Role.MAINTAINER: [*lab, "topic"], Role.ADMIN: [*lab, "topic"]}  # the last by Start itself
    assert linked == {role: behind.get(Role(role), []) for role in NAMES.values()}


@pytest.mark.parametrize(("role", "page", "told"), [
    ("annotator", "history", ["Practice round", "History"]),
    ("annotator", "find", []),
    ("annotator", "review", []),
    ("curator", "check", []),
    ("curator", "evaluate", []),
    ("maintainer", "evaluate", ["Retrain", "Evaluate", "Check"]),
    ("maintainer", "gold", []),
])  # fmt: skip
def test_a_page_leads_to_the_other_sections_of_its_place_that_the_person_may_open(
    world: dict[str, str], monkeypatch: pytest.MonkeyPatch, role: str, page: str, told: list[str]
) -> None:
    run = opened(monkeypatch, page, world[role])
    rows = [each for each in run.get("html") if "sections" in each.proto.body]
    reachable = {entry.title for name, entry in entries().items() if may(role, entry.right)}
    (palette,) = [each for each in run.get("bidi_component") if '"ways"' in each.proto.json]
    led = {address.strip("/"): title for title, _, address in json.loads(palette.proto.json)["ways"]}
    assert {title for name, title in led.items() if name not in moved()} == reachable
    assert led.keys() & moved().keys() == {old for old, (now, _) in moved().items() if may(role, entries()[now].right)}
    ways = [way for row in rows for way in BeautifulSoup(row.proto.body, "html.parser").find_all("a")]
    assert [way.text for way in ways] == told
    assert [way.text for way in ways if way.get("aria-current")] == [entries()[page].title][: len(told)]


def test_a_click_of_somebody_who_lost_the_right_changes_nothing(
    world: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    account_id = add("Clicks", Role.CURATOR)
    run = opened(monkeypatch, "queue", browser("Clicks")[0])
    with acting(OPERATOR):
        people.set_role(account_id, Role.ANNOTATOR)
    before = query("SELECT count(*) FROM setting")
    run.number_input(key=next(w.key for w in run.number_input if w.key.startswith("lease_minutes"))).set_value(44)
    run = next(button for button in run.button if button.label == "Save").click().run()
    assert query("SELECT count(*) FROM setting") == before
    assert len(run.exception) == 1  # this harness knows no handler for errors: what the app says, a browser tests
    assert page_failed(Forbidden("Clicks may not set the queue"))
    assert history("refused")[-1][1] == "Clicks may not set the queue"


def test_a_tab_that_comes_back_as_somebody_else_keeps_nothing_of_the_other(
    world: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = opened(monkeypatch, "queue", world["curator"])
    run.session_state["secret"] = "Cora's"
    monkeypatch.setattr(who, "session_token", lambda: world["annotator"])
    run = run.run()
    assert "secret" not in run.session_state and not run.exception


def test_the_name_in_a_cookie_counts_for_nothing_in_a_team(
    world: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(who, "session_token", lambda: world["annotator"])
    run = AppTest.from_file(str(ROOM / "queue.py"), default_timeout=60)
    run.session_state["annotator"] = "Cora"
    run = run.run()
    assert not [box for box in run.selectbox if box.label == "Working as"]
    assert verdict_on(run) == "let in" and "**Anna** · annotator" in [part.value for part in run.markdown]
