"""An address that is none leads to Start, which names it."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.parts.frame.entries import entries
from tests.support.paths import PAGES

MENU = PAGES / "parts" / "frame" / "menu.py"


@pytest.fixture
def opened(home: Path, monkeypatch: pytest.MonkeyPatch):
    """Opens a page as at an address; the app may lie below a base path."""

    def open_at(path: Path, address: str, base: str = "") -> AppTest:
        monkeypatch.setattr(type(st.context), "url", property(lambda _: address))
        option = st.get_option
        monkeypatch.setattr(st, "get_option", lambda name: base if name == "server.baseUrlPath" else option(name))
        run = AppTest.from_file(str(path), default_timeout=60).run()
        assert not run.exception
        return run

    return open_at


@pytest.mark.parametrize(
    ("address", "base", "told"),
    [
        ("http://localhost:8501/nonsense", "", "There is no page /nonsense; this is Start."),
        ("https://here/one/nonsense?article=1", "one", "There is no page /nonsense; this is Start."),
        ("http://localhost/a/%3Cb%3E", "", "There is no page /a/<b>; this is Start."),
        ("http://localhost:8501/", "", None),
        ("https://here/one", "/one/", None),
        ("http://localhost:8501/review", "", None),
    ],
)
def test_start_names_the_page_that_there_is_not(opened, address: str, base: str, told: str | None) -> None:
    notes = [note.value.replace("\\", "") for note in opened(PAGES / "start.py", address, base).info]
    assert [note for note in notes if "no page" in note] == ([told] if told else [])


def test_another_page_says_nothing_of_an_address(opened) -> None:
    assert not [
        note for note in opened(PAGES / "articles.py", "http://localhost/nonsense").info if "no page" in note.value
    ]


@pytest.mark.parametrize("asked", ["nonsense", "review", "", "a/b", "a.b", "größe"])
def test_the_menu_opens_at_any_address(opened, asked: str) -> None:
    run = opened(MENU, f"http://localhost:8501/{asked}")
    assert bool([note for note in run.info if "no page" in note.value]) is bool(asked and asked not in entries())
