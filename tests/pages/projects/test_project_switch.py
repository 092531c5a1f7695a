"""Each page says which project it is of, and leads to the others, once somebody was let in."""

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotate.projects.neighbours import FILE
from pages.parts.frame import who
from tests.support.paths import PAGES
from tests.support.team import add, browser, cheap_hashes

NAME = "CRISPR *screens*"
CAPTION = r"CRISPR \*screens\*"
OTHERS = [
    {"name": "<i>Trials</i>", "address": "https://trials.example.org", "port": 8602, "seen_by": None},
    {"name": "a second", "address": None, "port": 8603, "seen_by": [1]},
]


@pytest.fixture(autouse=True)
def served(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One project of three."""
    monkeypatch.setenv("KEYLINE_PROJECT", "crispr")
    monkeypatch.setenv("KEYLINE_PROJECT_NAME", NAME)
    home.mkdir(parents=True, exist_ok=True)
    (home / FILE).write_text(json.dumps(OTHERS))


def opened() -> AppTest:
    """The first page."""
    run = AppTest.from_file(str(PAGES / "start.py"), default_timeout=60).run()
    assert not run.exception
    return run


def links(at: AppTest) -> list[tuple[str, str]]:
    """(address, name) of each link of the switch."""
    drawn = [each.proto.body for each in at.get("html")]
    (switch,) = [body for body in drawn if "project-switch" in body] or [""]
    return re.findall(r'<a href="([^"]+)" target="_self">([^\n]+)</a>', switch)


def shown(at: AppTest) -> list[str]:
    """Where the page could say what a project is called."""
    return [each.value for each in at.caption] + [each.proto.body for each in at.get("html")]


def test_without_login_those_that_are_open_to_all_are_led_to(monkeypatch: pytest.MonkeyPatch) -> None:
    assert links(opened()) == [("https://trials.example.org", "&lt;i&gt;Trials&lt;/i&gt;")]
    monkeypatch.delenv("KEYLINE_PROJECT")
    alone = opened()
    assert links(alone) == [] and CAPTION in shown(alone)
    monkeypatch.delenv("KEYLINE_PROJECT_NAME")
    assert not any("screens" in text for text in shown(opened()))


def test_with_logins_nobody_is_told_any_name_before_and_each_their_own_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        assert add("Ada") == 1
        add("Ben")
        tokens = {name: browser(name)[0] for name in ("Ada", "Ben")} | {"": ""}

    def as_(name: str) -> AppTest:
        monkeypatch.setattr(who, "session_token", lambda: tokens[name])
        return opened()

    ada, ben = links(as_("Ada")), links(as_("Ben"))
    assert [name for _, name in ada] == ["&lt;i&gt;Trials&lt;/i&gt;", "a second"] and len(ben) == 1
    stranger = as_("")
    assert links(stranger) == []
    assert not re.search("screens|Trials|second", str(shown(stranger)) + str(stranger.main))
