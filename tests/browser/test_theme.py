"""Pages are light or dark as the system of whoever looks at them is, or as they have chosen."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import CHROMIUM, chromium, new_page, serving, wait_for_run

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
COLOURS = """() => {
  const page = getComputedStyle(document.querySelector('[data-testid=stApp]'));
  return [page.backgroundColor, page.color];
}"""


def brightness(colour: str) -> float:
    """From 0, black, to 255."""
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def test_a_dark_system_gets_dark_pages_with_light_text_and_a_light_one_the_reverse(home: Path) -> None:
    found: dict[str, list[float]] = {}
    with serving(home) as server, chromium() as browser:
        page: Any = new_page(browser, server.url)
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            page.goto(f"{server.url}/progress")
            wait_for_run(page)
            found[scheme] = [brightness(colour) for colour in page.evaluate(COLOURS)]
    (dark, text), (light, ink) = found["dark"], found["light"]
    assert dark < 64 and text > 190 and light > 190 and ink < 64


def test_the_theme_that_was_chosen_behind_the_name_holds_on_every_page_until_the_system_s_is(home: Path) -> None:
    def text() -> float:
        wait_for_run(page)
        return brightness(page.evaluate(COLOURS)[1])

    with serving(home) as server, chromium() as browser:
        page: Any = new_page(browser, server.url, "Ada")
        page.goto(f"{server.url}/progress")
        for choice, expected in (("Dark", True), ("System", False)):
            wait_for_run(page)
            page.get_by_role("button", name="Ada").click()
            with page.expect_navigation():
                page.get_by_role("group", name="Theme").get_by_role("button", name=choice).click()
            page.get_by_role("button", name="Ada").wait_for()
            assert (text() > 190) == expected
            page.goto(f"{server.url}/articles")
            page.get_by_role("button", name="Ada").wait_for()
            assert (text() > 190) == expected
