"""The fair test in a real browser: each answer a verdict, kept by the browser until it is on disk."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.support.browser import CHROMIUM, chromium, new_page, serving, wait_for_run
from tests.support.making import (
    judge,
    paper,
    pmids,
    propose_with,
    query,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
TEXT = tuple(f"The {word} was there on that day." for word in "sun rain wind snow hail fog dew ice".split())


@pytest.fixture
def versions(home: Path) -> Path:
    """A version, its child, and a test article in which the first's five are judged: three sentences are asked."""
    store(paper(TEXT, pmid=pmids("test", 1)[0]))
    parent = version_without_weights("parent")
    propose_with(parent)
    child = version_without_weights("child", parent_id=parent.id)
    rising = np.linspace(0.1, 0.9, len(TEXT))
    store_cosines(parent, 1, GENERIC_QUERIES[BEST_GENERIC], rising[::-1])
    store_cosines(child, 1, GENERIC_QUERIES[BEST_GENERIC], rising)
    judge("Anna", 1, verdict(0), *(verdict(number, "reject") for number in (1, 2, 3, 4)))
    return home


def given() -> list[tuple[Any, ...]]:
    return query("SELECT sentence_id - 1, value, origin FROM verdict WHERE annotator_id = 2 ORDER BY id")


def press(page: Any, key: str, progress: str) -> None:
    """Presses a key and waits until the screen has moved on."""
    page.keyboard.press(key)
    expect(page.get_by_text(progress, exact=True)).to_be_visible()
    wait_for_run(page)


def test_each_sentence_is_asked_once_and_the_last_answer_can_be_taken_back(versions: Path) -> None:
    with serving(versions) as server, chromium() as browser:
        page = new_page(browser, server.url, "Ben")
        page.goto(f"{server.url}/fair_test")
        page.get_by_text("0 judged, 3 to go").wait_for()
        wait_for_run(page)
        press(page, "a", "1 judged, 2 to go")
        page.get_by_role("button", name="Not key").click()
        expect(page.get_by_text("2 judged, 1 to go", exact=True)).to_be_visible()
        wait_for_run(page)
        (first, *_), (second, *_) = given()
        press(page, "u", "1 judged, 2 to go")
        press(page, "s", "2 judged, 1 to go")
        press(page, "x", "3 judged, 0 to go")
        assert [(number, value) for number, value, _ in given()[2:4]] == [(second, "withdrawn"), (second, "unsure")]
        assert {number for number, _, _ in given()} == {5, 6, 7} and first != second
        # They are no proposals of anybody's.
        assert {origin for _, _, origin in given()} == {"added"}
        page.get_by_text("Nothing is left to judge. Every labelled test article is fair to both versions.").wait_for()
        page.get_by_role("button", name="Evaluate both versions").wait_for()


def test_what_is_said_while_the_server_is_away_is_kept_and_stored_once(versions: Path) -> None:
    with serving(versions) as server, chromium() as browser:
        page = new_page(browser, server.url, "Ben")
        page.goto(f"{server.url}/fair_test")
        page.get_by_text("0 judged, 3 to go").wait_for()
        wait_for_run(page)
        server.kill()
        page.keyboard.press("x")
        page.locator(".answers [data-state=waiting]").wait_for()
        server.start()  # which has forgotten the tab: what it asks is made anew, without what is answered
        page.get_by_text("2 to go").wait_for()
        assert [value for _, value, _ in given()] == ["reject"]
