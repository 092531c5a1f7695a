"""An expert's first visit, the keys of Review, and every page, in Firefox and in WebKitGTK."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pages.parts.frame.entries import FIRST, entries
from tests.support.browser import COOKIE, GO, PATIENCE_MS, serving
from tests.support.layout import FAULTS
from tests.support.making import judge, query, store_proposed, verdict
from tests.support.other_browsers import OtherBrowser, missing, other_browser
from tests.support.queueing import set_queue
from tests.support.waiting import wait_until

# Elements with this selector, within components too.
FIND = """(selector, root = document) => {
  const found = [];
  const look = (at) => {
    found.push(...at.querySelectorAll(selector));
    for (const one of at.querySelectorAll("*")) if (one.shadowRoot) look(one.shadowRoot);
  };
  look(root);
  return found.filter((one) => one.checkVisibility({ visibilityProperty: true }));
}"""
IS_OVER = "!!document.querySelector('[data-testid=stApp][data-test-script-state=notRunning]')"
# What a page shows that it should not: an error of Streamlit's, or more width than the window has.
AMISS = """[...document.querySelectorAll("[data-testid=stException]")].map((one) => one.innerText.slice(0, 200)).concat(
  [document.documentElement, document.querySelector("[data-testid=stMain]")]
    .filter((one) => one && one.scrollWidth > one.clientWidth + 1).map((one) => `${one.tagName} scrolls sideways`))"""
# Who was there before. What else a browser keeps is of an address, and each test has its own.
FORGET = f"void (document.cookie = '{COOKIE}=; path=/; max-age=0')"
NARROW = ("start", "articles", "find", "review", "gold", "retrain")  # pages that are looked at in a smaller window, too


class Visitor:
    """Somebody in front of a browser."""

    def __init__(self, browser: OtherBrowser, url: str) -> None:
        self.browser, self.url = browser, url

    def wait(self, script: str, seconds: float = PATIENCE_MS / 1000) -> Any:
        """Waits until an expression gives something, and returns it."""
        deadline = time.monotonic() + seconds
        while not (found := self.browser.run(script)):
            assert time.monotonic() < deadline, f"waited in vain for {script}"
            time.sleep(0.1)
        return found

    def see(self, selector: str, then: str = "found.length") -> Any:
        """Waits until what has this selector is on show; gives what `then` makes of all that is `found`."""
        found = f"({FIND})({json.dumps(selector)})"
        self.wait(f"{found}.length")
        return self.browser.run(f"((found) => {then})({found})")

    def click(self, selector: str, words: str) -> None:
        """Clicks what has this selector and these words."""
        chosen = f"({FIND})({json.dumps(selector)}).find((one) => one.innerText.trim() === {json.dumps(words)})"
        self.wait(f"!!({chosen})")
        self.browser.run(f"void {chosen}.click()")

    def open(self, path: str) -> None:
        """Opens a page by its address."""
        self.browser.go(f"{self.url}/{path}")
        self.wait(IS_OVER)

    def go_on_to(self, name: str) -> None:
        """Goes to another page, as by the menu, so that nothing is loaded again."""
        path = "/" if name == FIRST else f"/{name}"
        go = f"void ({GO})({json.dumps(path)})"
        there = f"document.title.startsWith({json.dumps(entries()[name].title + ' ·')})"
        self.browser.run(go)
        try:
            self.wait(there, PATIENCE_MS / 2000)
        except AssertionError:  # Streamlit may miss it while it still draws the page before
            self.browser.run(go)
            self.wait(there)
        self.wait(IS_OVER)

    def press(self, *keys: str) -> None:
        """Presses keys, and waits until all is saved."""
        for key in keys:
            self.browser.press(key)
        self.see('.save[data-state="saved"]')

    def give_a_name(self) -> None:
        """Opens Review, says who is there, and waits for the article."""
        self.open("review")
        self.see('input[aria-label="Your name"]', "void found[0].focus()")
        for key in ("E", "v", "a", "Enter"):
            self.browser.press(key)
        self.see(".reader[data-ready]")

    @property
    def sentence(self) -> str:
        """The sentence that the keys are about."""
        found: str = self.see(".sentence[aria-current]", "found[0].dataset.sentence")
        return found

    def faults(self, selector: str) -> list[str]:
        """What is wrong with how this part lies on the screen."""
        found: list[str] = self.see(selector, f"({FAULTS})(found[0])")
        return found


@pytest.fixture(scope="module", params=["firefox", "webkit"])
def browser(request: pytest.FixtureRequest) -> Iterator[OtherBrowser]:
    """One for all tests: each finds it on another address."""
    if reason := missing(request.param):
        pytest.skip(reason)
    with other_browser(request.param) as begun:
        yield begun


@pytest.fixture
def visitor(browser: OtherBrowser, home: Path) -> Iterator[Visitor]:
    """Whom nobody knows yet, at a window of the usual size."""
    store_proposed(3)
    set_queue()  # or the second article may be one without proposals
    with serving(home) as server:
        browser.go(f"{server.url}/_stcore/health")
        browser.run(FORGET)
        browser.size(1440, 900)
        browser.wrong()
        yield Visitor(browser, server.url)


def move_show_and_mark(visitor: Visitor) -> None:
    """Goes through the open article by keys, marks what was missed in it, and goes to the next and back."""
    first = visitor.sentence
    for onward, back in (("j", "k"), ("ArrowDown", "ArrowUp"), ("]", "["), ("ArrowRight", "ArrowLeft")):
        visitor.press(onward)
        wait_until(lambda: visitor.sentence != first)
        visitor.press(back)
        wait_until(lambda: visitor.sentence == first)
    pressed = "found.map((one) => one.innerText).join()"
    before = visitor.see('.lists button[aria-pressed="true"]', pressed)
    visitor.press("o")
    wait_until(lambda: visitor.see('.lists button[aria-pressed="true"]', pressed) != before)
    visitor.press("g")
    assert not visitor.faults(".guideline")
    visitor.press("g")
    while visitor.browser.run(f"({FIND})('.sentence[aria-current][data-rank]').length"):
        place = visitor.sentence
        visitor.press("]")
        wait_until(lambda here=place: visitor.sentence != here)
    visitor.press("m")
    wait_until(lambda: query("SELECT value, origin FROM verdict ORDER BY id DESC LIMIT 1") == [("accept", "added")])
    article = visitor.see(".reader", "found[0].dataset.ready")
    shown = f"({FIND})('.reader[data-ready]').map((one) => one.dataset.ready).join()"
    visitor.press("n")
    visitor.wait(f"![{json.dumps(article)}, ''].includes({shown})")
    visitor.wait(IS_OVER)  # the page may still draw around the article
    visitor.press("p")
    visitor.wait(f"{shown} === {json.dumps(article)}")


def test_an_expert_takes_the_tour_and_judges_moves_and_marks_by_keys(visitor: Visitor) -> None:
    visitor.give_a_name()
    for step in ("Next step",) * 4 + ("Done",):
        assert visitor.see(".toured") == 1  # what the step is about is pointed at
        assert not visitor.faults(".tour")
        visitor.click(".tour button", step)
    visitor.wait(f"!({FIND})('.tour').length")

    visitor.press("a")
    visitor.see('.entry[data-verdict="accept"]')
    visitor.press("x")
    visitor.see('.entry[data-verdict="reject"]')
    wait_until(lambda: query("SELECT value FROM verdict ORDER BY id") == [("accept",), ("reject",)])
    visitor.press("u", "s")
    visitor.see('.entry[data-verdict="unsure"]')
    assert not visitor.faults(".rail")

    visitor.browser.press("c")
    visitor.see("textarea")
    assert not visitor.faults(".comments")
    for key in ("w", "h", "y", "?"):
        visitor.browser.press(key)
    visitor.press("Enter")
    wait_until(lambda: query("SELECT text FROM comment") == [("why?",)])
    assert not visitor.faults(".rail")
    visitor.browser.press("?")
    visitor.wait(f"({FIND})('.help').some((one) => one.innerText.includes('accept the proposal'))")
    assert not visitor.faults(".help")
    visitor.browser.press("Escape")
    first = visitor.see(".reader", "found[0].dataset.ready")
    visitor.press("f", "n")
    visitor.wait(f"({FIND})('.reader[data-ready]').some((one) => one.dataset.ready !== {json.dumps(first)})")
    visitor.wait(IS_OVER)  # the page may still draw around the article
    move_show_and_mark(visitor)
    assert not visitor.browser.wrong()


def test_every_page_opens_in_the_width_of_the_window_and_a_curator_decides_by_a_key(visitor: Visitor) -> None:
    judge("Ada", 1, verdict(0), verdict(1, "reject"))
    judge("Ben", 1, verdict(0, "reject"), verdict(1))
    visitor.open("")
    amiss = {}
    for width, height, names in ((1024, 768, NARROW), (1440, 900, tuple(entries()))):
        visitor.browser.size(width, height)
        for name in names:
            visitor.go_on_to(name)
            if found := visitor.browser.run(AMISS) + visitor.browser.wrong():
                amiss[name, width] = found
    assert not amiss

    visitor.give_a_name()
    visitor.go_on_to("adjudicate")
    visitor.wait("[...document.querySelectorAll('button')].some((one) => one.innerText.includes('Key'))")
    visitor.browser.press("a")
    wait_until(lambda: query("SELECT value FROM verdict WHERE role = 'adjudicator'") == [("accept",)])
    assert not visitor.browser.run(AMISS) + visitor.browser.wrong()
