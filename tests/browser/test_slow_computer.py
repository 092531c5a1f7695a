"""What a person on an old computer presses: no click is lost, and no key judges what was not on the screen."""

import signal
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
    slow_down,
    wait_for_question,
    wait_until_seen,
)
from tests.support.finding import index, screened
from tests.support.live_world import live_world
from tests.support.making import paper, query, store, store_proposed

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
RATE = 12
# The same key twice; between them the browser is at work, as when it draws what the first one brings.
TWICE = """(key) => {
  const [first, second] = [1, 2].map(() => new KeyboardEvent("keydown", { key, bubbles: true }));
  document.body.dispatchEvent(first);
  for (const begun = performance.now(); performance.now() - begun < 500; );
  document.body.dispatchEvent(second);
}"""
# Presses Go to as soon as it can be pressed, and tells whether that opened it.
PRESSED_AT_ONCE = """() => {
  const parts = [...document.querySelectorAll(".st-key-palette_place *")].find((node) => node.shadowRoot)?.shadowRoot;
  const button = parts?.querySelector(".open:enabled");
  button?.click();
  return button && [parts.querySelector("dialog").open];
}"""
PRESSED_BEFORE = """() => { window.pressed = new KeyboardEvent("keydown", { key: "a", bubbles: true }); }"""
ARRIVES_NOW = "() => document.body.dispatchEvent(window.pressed)"


@pytest.fixture
def world(home: Path) -> Path:
    """Eight articles whose sentences are asked about."""
    live_world()
    forget()
    return home


@pytest.fixture
def screening(home: Path) -> str:
    """The address of a screening of five articles."""
    store(*(paper((f"We measured KRAS {number} times.",), pmid=str(number)) for number in range(1, 6)))
    index()
    return f"find?question={keep('Anna', Asked(Question('measured'), ('words',)))}&find_view=Screen"


def test_go_to_can_be_pressed_once_it_works(home: Path) -> None:
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Eva")
        slow_down(page, RATE)
        page.goto(server.url, wait_until="commit")
        assert page.wait_for_function(PRESSED_AT_ONCE).json_value() == [True]


def test_keys_typed_ahead_judge_neither_the_article_that_is_left_nor_the_next(home: Path) -> None:
    store_proposed(2)
    judged = ".entry[data-verdict]"
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.clock.install()
        open_reader(page, server.url, 1)
        server.process.send_signal(signal.SIGSTOP)
        page.keyboard.press("n")
        page.clock.run_for(5_000)
        page.keyboard.press("a")
        assert page.locator(judged).count() == 0
        page.clock.run_for(15_000)
        page.get_by_text("The other article has not come: try again.").first.wait_for()
        server.process.send_signal(signal.SIGCONT)
        page.wait_for_selector('.reader[data-ready="2"]')

        again = new_page(browser, server.url, "Anna")
        open_reader(again, server.url, 1)
        again.evaluate(PRESSED_BEFORE)
        again.keyboard.press("n")
        again.wait_for_selector('.reader[data-ready="2"]')
        again.evaluate(ARRIVES_NOW)
        assert again.locator(judged).count() == 0
    assert query("SELECT count(*) FROM verdict") == [(0,)]


def test_a_key_that_waits_for_the_browser_judges_no_article_that_came_in_between(home: Path, screening: str) -> None:
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/{screening}")
        screened(page, 0)
        first = page.locator(".found > article")
        key = first.get_attribute("data-key")
        wait_until_seen(page)
        page.evaluate(TWICE, "x")
        screened(page, 1)
        expect(first).not_to_have_attribute("data-key", key)
    assert query("SELECT article_key FROM relevance") == [(key,)]


def test_a_key_that_waits_for_the_browser_answers_no_question_that_came_in_between(world: Path) -> None:
    with serving(world) as server, chromium() as browser:
        page = new_page(browser, server.url, "Ben")
        page.goto(f"{server.url}/queue?view=sentences")
        wait_for_question(page)
        page.evaluate(PRESSED_BEFORE)
        page.keyboard.press("x")
        expect(page.get_by_text("1 judged in this tab.")).to_be_visible()
        wait_for_question(page)
        page.evaluate(ARRIVES_NOW)
        page.keyboard.press("s")
        expect(page.get_by_text("2 judged in this tab.")).to_be_visible()
    assert query("SELECT value FROM verdict ORDER BY id") == [("reject",), ("unsure",)]


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


def test_an_answer_whose_button_is_drawn_again_while_it_is_pressed_is_given(world: Path) -> None:
    with serving(world) as server, chromium() as browser:
        page = new_page(browser, server.url, "Ben")
        page.route(f"**{ENDPOINT}", lambda route: route.abort())
        open_reader(page, server.url, 1)
        for key in "]m":
            page.keyboard.press(key)
        page.goto(f"{server.url}/queue?view=sentences")
        wait_for_question(page)
        page.get_by_role("button", name="Reject").hover()
        page.mouse.down()
        for _ in range(2):  # after each the page says how far saving is
            page.wait_for_event("requestfailed")
        page.mouse.up()
        page.unroute(f"**{ENDPOINT}")
        expect(page.get_by_text("1 judged in this tab.")).to_be_visible()
    assert [value for (value,) in query("SELECT value FROM verdict ORDER BY value")] == ["accept", "reject"]
