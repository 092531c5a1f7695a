"""The queue of sentences in a browser: judged by key, kept by the browser until on disk, the article a key away."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from annotate.active_learning.live_state import forget
from tests.support.browser import CHROMIUM, FOUND_AGAIN_MS, chromium, new_page, serving, wait_for_question, wait_for_run
from tests.support.live_world import live_world
from tests.support.making import query

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")


@pytest.fixture
def world(home: Path) -> Path:
    """Eight articles whose sentences are ranked; Anna has one of them in hand."""
    live_world()
    forget()
    return home


def given() -> list[tuple[Any, ...]]:
    return query("SELECT sentence_id, value, ranking FROM verdict ORDER BY id")


def opened(page: Any, url: str) -> None:
    page.goto(f"{url}/queue?view=sentences")
    page.get_by_text("Is it a key sentence?").wait_for()
    wait_for_question(page)


def press(page: Any, key: str, judged: int) -> None:
    """Presses a key and waits until the screen says how many were judged, and asks for the next."""
    page.keyboard.press(key)
    expect(page.get_by_text(f"{judged} judged in this tab.")).to_be_visible()
    wait_for_question(page)


def test_sentences_are_judged_by_key_and_none_is_lost_or_asked_twice(world: Path) -> None:
    with serving(world) as server, chromium() as browser:
        page = new_page(browser, server.url, "Ben")
        opened(page, server.url)
        press(page, "a", 1)
        press(page, "x", 2)
        press(page, "s", 3)
        press(page, "u", 2)
        press(page, "a", 3)
        assert [value for _, value, _ in given()] == ["accept", "reject", "unsure", "withdrawn", "accept"]
        first, second, third, back, again = (number for number, _, _ in given())
        assert third == back == again and len({first, second, third}) == 3
        shown = page.locator(".st-key-picked_text")
        unsaved = shown.text_content()
        expect(shown).to_have_text(unsaved)
        server.kill()
        page.keyboard.press("x")
        page.locator(".answers [data-state=waiting]").wait_for()
        page.keyboard.press("x")  # one answer a sentence, however often it is pressed
        server.start()
        expect(page.locator(".answers [data-state=waiting]")).to_have_count(0)
        expect(shown).not_to_have_text(unsaved, timeout=FOUND_AGAIN_MS)  # the tab is connected, and the answer stored
        wait_for_question(page)
        assert [value for _, value, _ in given()][5:] == ["reject"]
        # A tab counts from none, and the answer too where its sentence was shown again before it came through.
        press(page, "a", 1 + page.get_by_text("1 judged in this tab.").count())
        numbers = [number for number, _, _ in given()]
        assert len(numbers) == 7 and len({*numbers}) == 5
        assert {ranking for *_, ranking in given()} == {"picked"}


def test_the_article_is_one_key_away_and_shows_what_was_judged(world: Path) -> None:
    with serving(world) as server, chromium() as browser:
        page = new_page(browser, server.url, "Ben")
        opened(page, server.url)
        press(page, "a", 1)
        page.keyboard.press("u")
        expect(page.get_by_text("judged in this tab.")).to_have_count(0)
        wait_for_question(page)
        ((article_id, position),) = query(
            "SELECT verdict.article_id, position FROM verdict JOIN sentence ON sentence.id = sentence_id LIMIT 1"
        )
        page.keyboard.press("o")
        page.wait_for_url(f"**/review?article={article_id}&sentence={position}")
        page.get_by_role("button", name="Accept").first.wait_for()
        wait_for_run(page)
        page.goto(f"{server.url}/queue")
        page.get_by_text("Your next article").wait_for()
        page.get_by_role("radio", name="Sentences").click()
        page.wait_for_url("**/queue?view=sentences")
        page.get_by_text("Is it a key sentence?").wait_for()
