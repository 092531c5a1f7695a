"""What a person on an old computer presses: no click is lost, and no key judges what was not on the screen."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotate.active_learning.live_state import forget
from annotate.finding.asking.saved import Asked, keep
from annotate.finding.question import Question
from annotate.review.article_view import ENDPOINT
from tests.support.browser import (
    CHROMIUM,
    chromium,
    new_page,
    open_reader,
    serving,
    wait_for_question,
)
from tests.support.finding import index, screened
from tests.support.live_world import live_world
from tests.support.making import paper, query, store

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")


@pytest.fixture
def screening(home: Path) -> str:
    """The address of a screening of five articles."""
    store(*(paper((f"We measured KRAS {number} times.",), pmid=str(number)) for number in range(1, 6)))
    index()
    return f"find?question={keep('Anna', Asked(Question('measured'), ('words',)))}&find_view=Screen"


def test_a_button_that_is_drawn_again_while_it_is_pressed_has_been_pressed(home: Path, screening: str) -> None:
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/{screening}")
        screened(page, 0)
        button = page.locator(".found > article").get_by_role("button", name="Not relevant")
        button.click()
        button.hover()
        page.mouse.down()
        screened(page, 1)
        page.mouse.up()
        screened(page, 2)


def test_an_answer_whose_button_is_drawn_again_while_it_is_pressed_is_given(home: Path) -> None:
    live_world()
    forget()
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Ben")
        page.route(f"**{ENDPOINT}", lambda route: route.abort())
        open_reader(page, server.url, 1)
        for key in "]m":
            page.keyboard.press(key)
        page.goto(f"{server.url}/queue?view=sentences")
        wait_for_question(page)
        page.get_by_role("button", name="Not key").hover()
        page.mouse.down()
        for _ in range(2):  # after each the page says how far saving is
            page.wait_for_event("requestfailed")
        page.mouse.up()
        page.unroute(f"**{ENDPOINT}")
        expect(page.get_by_text("1 judged in this tab.")).to_be_visible()
    assert [value for (value,) in query("SELECT value FROM verdict ORDER BY value")] == ["accept", "reject"]
