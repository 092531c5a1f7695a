"""The first things of an expert, a curator and a maintainer, done by the keyboard alone and told aloud."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import CHROMIUM, chromium, new_page, serving, wait_for_run, wait_until_saved
from tests.support.hearing import HEAR, outline
from tests.support.making import judge, query, store_proposed, verdict

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
# What has the focus, also within a component: its words, and whether a ring or a shadow shows that it has it.
FOCUS = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  const { outlineStyle, boxShadow } = getComputedStyle(at);
  const parent = getComputedStyle(at.parentElement ?? at);
  const framed = at.matches("input")
    ? [parent.borderColor, parent.boxShadow].join() !== ""
    : parent.outlineStyle !== "none";
  const seen = outlineStyle !== "none" || boxShadow !== "none" || framed;
  return { words: at.getAttribute("aria-label") || at.textContent || "", role: at.role || at.tagName, seen };
}"""
MOST_STEPS = 120


def without_number(words: str) -> str:
    """What a link says but for how much work waits there."""
    return re.sub(r"\s+\d+$", "", words.strip())


def go_to(page: Any, words: str, role: str = "", *, key: str = "Tab") -> None:
    """Presses a key until what ends with these words has the focus, which is seen there."""
    passed = []
    for _ in range(MOST_STEPS):
        at = page.evaluate(FOCUS)
        if without_number(at["words"]).endswith(words) and role in ("", at["role"]):
            assert at["seen"], f"nobody sees that {words} has the focus"
            return
        passed.append(at["words"].strip()[:40])
        page.keyboard.press(key)
    raise AssertionError(f"no way to {words!r} by {key}: {passed}")


def wait_to_hear(page: Any, words: str) -> None:
    """Waits until a live region has said what begins so."""
    page.wait_for_function("(words) => window.heard.some((said) => said.startsWith(words))", arg=words)


def open_by_menu(page: Any, url: str, place: str, section: str = "") -> None:
    """From Start by the menu to a place, and by its row to a section of it, without another document."""
    page.goto(url)
    page.get_by_role("heading", name="Start", exact=True).wait_for()
    wait_for_run(page)
    page.evaluate("window.same = true")
    for title in filter(None, (place, section)):
        go_to(page, title, "A")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.activeElement.ariaCurrent === 'page'")
        wait_for_run(page)
    assert without_number(page.evaluate("window.same && document.activeElement.textContent")).endswith(section or place)
    assert without_number(page.locator("[data-testid=stTopNavLink][aria-current=page]").inner_text()).endswith(place)


def test_three_people_do_their_first_thing_without_a_mouse(home: Path) -> None:
    store_proposed(12)
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url)
        page.add_init_script(HEAR)
        page.goto(server.url)
        page.get_by_role("heading", name="Start", exact=True).wait_for()
        wait_for_run(page)
        go_to(page, "Review the next article")
        page.keyboard.press("Enter")
        page.get_by_label("Your name").wait_for()
        wait_for_run(page)
        go_to(page, "Your name")
        page.keyboard.type("Eva")
        page.keyboard.press("Enter")
        page.wait_for_selector(".reader[data-ready]")
        go_to(page, "Judge by keys", "application")
        wait_to_hear(page, "Proposal 1 of 2, Abstract. ")  # before the key, or both are said as one
        page.keyboard.press("a")
        page.wait_for_selector('.entry[data-verdict="accept"]')
        wait_until_saved(page)
        judged = "SELECT v.value, s.article_id FROM verdict v JOIN sentence s ON s.id = v.sentence_id"
        ((value, in_her_hands),) = query(judged)
        assert value == "accept"
        wait_to_hear(page, "Accepted, 1 of 2 judged. Proposal 2 of 2, Abstract. ")
        wait_to_hear(page, "all saved")
        assert not outline(page).nameless

        for number in range(1, 13):
            judge("Ada", number, verdict(0), verdict(1, "reject"))
        nobody_s = 1 if in_her_hands != 1 else 2  # what she is at work on waits for her
        judge("Ben", nobody_s, verdict(0, "reject"), verdict(1))
        open_by_menu(page, server.url, "Team", "Adjudicate")
        assert page.locator(".sections [aria-current] span").inner_text() == "2"  # as many wait
        wait_to_hear(page, "Sentence 1 of 2, 0 decided. ")
        go_to(page, "A", "BUTTON")
        page.keyboard.press("Enter")
        wait_to_hear(page, "Saved: Key. Sentence 2 of 2, 1 decided. ")
        page.wait_for_function("() => document.activeElement.textContent.endsWith('A')")  # it has not lost its place

        open_by_menu(page, server.url, "Gold")
        go_to(page, "CSV")
        with page.expect_download() as download:
            page.keyboard.press("Enter")
        assert Path(download.value.path()).read_text().count("\n") > 12
        wait_to_hear(page, "keyline-gold.csv is made")

        open_by_menu(page, server.url, "Model")
        go_to(page, "Retrain", "BUTTON")
