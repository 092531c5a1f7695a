"""An address that is none leads to Start, which names it."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from annotate.review.assignments import take
from pages.parts.frame import streamlit_internals
from pages.parts.frame.entries import PLACES, entries
from tests.support.making import judge, reading, store_proposed, verdict
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


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch):
    """The addresses of what the menu shows, by the titles there, after each run of it."""
    titles: dict[str, str] = {}
    navigation = st.navigation

    def noted(pages: list[st.Page], **options: str) -> st.Page:
        titles.clear()
        titles.update({one.title: one.url_path for one in pages if one.visibility == "visible"})
        return navigation(pages, **options)

    monkeypatch.setattr(st, "navigation", noted)
    return titles


def test_a_place_stands_in_the_menu_as_the_section_on_show_else_as_its_first(
    opened, listed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(MENU, "http://localhost:8501/")
    assert list(listed) == [title for title in PLACES if title != "Lab"] and listed["Start"] == ""
    assert (listed["Model"], listed["Team"]) == ("retrain", "agreement")
    monkeypatch.setattr(streamlit_internals, "is_asked_for", lambda one: one.url_path == "check")
    opened(MENU, "http://localhost:8501/check")
    assert (listed["Model"], listed["Team"]) == ("check", "agreement")


def test_the_menu_says_how_much_waits_and_what_a_person_did_counts_at_once(home: Path, listed: dict[str, str]) -> None:
    store_proposed(3)
    run = AppTest.from_file(str(MENU), default_timeout=60)
    run.session_state["annotator"] = "Anna"
    run.run()
    assert listed["Review :blue-badge[3]"] == "review" and "Team" in listed
    judge("Anna", 1, verdict(0), verdict(1), reading())
    judge("Ben", 1, verdict(0, "reject"), verdict(1))
    run.run()
    assert listed["Review :blue-badge[2]"] == "review" and listed["Team :blue-badge[1]"] == "agreement"
    take("Ben", 2)
    run.run()
    assert "Review :blue-badge[2]" in listed  # what others do comes a little later
    mark, _, known = run.session_state["work_waiting"]
    run.session_state["work_waiting"] = mark, 0.0, known
    run.run()
    assert "Review :blue-badge[1]" in listed
