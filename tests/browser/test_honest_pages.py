"""Every page in both themes: axe-core, requests elsewhere, answers that are errors, what moves, what a phone cuts."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest

from pages.parts.frame.entries import FIRST, entries
from tests.support.browser import CHROMIUM, COOKIE, PATIENCE_MS, chromium, serving, wait_for_run
from tests.support.layout_shift import WATCH, cls, shifts
from tests.support.making import judge, reading, store_proposed, verdict

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
RUN = """async (rules) => (await axe.run(document, { resultTypes: ["violations"], ...rules })).violations
  .flatMap((found) => found.nodes.map((node) => [found.id, node.target.join(" "), node.html.slice(0, 120)]))"""
ALL: dict[str, Any] = {}
OF_COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}  # what a theme decides, and nothing else
# Streamlit's own, which no style of ours reaches: the area for files is a group that says that it is none.
STREAMLITS = {("presentation-role-conflict", "stFileUploaderDropzone")}
# The box that chooses a row stands in a column without a name, on pages whose tables let one choose.
CHOOSES_ROWS = {"gold", "find"}
# Colours have faded in, and what a screen reader is told of a table is written: after the table is drawn.
SETTLED = """() => !document.querySelector("[data-stale=true]")
  && !document.getAnimations().some((one) => one instanceof CSSTransition && one.playState === "running")
  && [...document.querySelectorAll("[data-testid=stDataFrame]")]
    .every((at) => !at.offsetHeight || at.closest("details:not([open])") || at.querySelector("table"))"""
# Up to 0.1 is good (https://web.dev/articles/cls). A style that comes after the first words alone moves 0.08; charts
# and tables, which Streamlit draws late, move what is below them.
MOST_SHIFT = {"start": 0.07, "review": 0.07, "find": 0.07, "queue": 0.1}
MOST_SHIFT_ELSEWHERE = 0.2
BACKGROUND = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
OTHER = {"light": "dark", "dark": "light"}
PHONE, SCREEN = {"width": 390, "height": 844}, {"width": 1440, "height": 900}
NUMBERS = "() => document.querySelectorAll('[data-testid=stMetric]').length"
# Words and numbers whose end nobody sees.
CUT = """() => [...document.querySelectorAll("[data-testid=stMetric] *")]
  .filter((node) => node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX !== "visible"
    && node.clientWidth > 0)
  .map((node) => ["cut", node.innerText])"""
# Pages that show numbers of what is stored here.
OF_NUMBERS = {"start", "articles", "queue", "progress", "gold", "agreement", "status"}
# Which pages are opened in which theme; the other one comes to them as it does when the evening comes to a system.
OPENED = {"light": list(entries())[::2], "dark": list(entries())[1::2]}


def told(name: str, page: Any, rules: dict[str, Any]) -> list[list[str]]:
    """What axe-core finds on a page by these rules: (rule, element, its HTML)."""
    found: list[list[str]] = page.evaluate(RUN, rules)
    streamlits = STREAMLITS | ({("empty-table-header", 'aria-colindex="1"')} if name in CHOOSES_ROWS else set())
    return [one for one in found if not any(rule == one[0] and part in one[2] for rule, part in streamlits)]


def opened(browser: Any, url: str, scheme: str) -> Iterator[tuple[str, Any, list[str]]]:
    """Each of its pages in this theme with what went wrong on the way: (name, page, addresses)."""
    context = browser.new_context(viewport=SCREEN, reduced_motion="reduce")
    context.add_cookies([{"name": COOKIE, "value": "Ada", "url": url}])
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.add_init_script(WATCH)
    wrong: list[str] = []
    own = (url, url.replace("http", "ws", 1), "data:", "blob:")
    page.on("request", lambda asked: None if asked.url.startswith(own) else wrong.append(asked.url))
    page.on("response", lambda got: wrong.append(f"{got.status} {got.url}") if got.status >= 400 else None)
    for name in OPENED[scheme]:
        wrong.clear()
        page.set_viewport_size(SCREEN)
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{url}/{'' if name == FIRST else name}")
        page.wait_for_selector("[data-testid=stMainBlockContainer] [data-testid=stElementContainer]", state="attached")
        wait_for_run(page)
        page.wait_for_function(SETTLED)
        yield name, page, wrong
    context.close()


def turn(page: Any, scheme: str) -> None:
    """Gives the page of a system whose theme changes while it is open."""
    before = page.evaluate(BACKGROUND)
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(f"(before) => ({BACKGROUND})() !== before", arg=before)
    wait_for_run(page)
    page.wait_for_function(SETTLED)


def numbers_cut_on_a_phone(page: Any) -> list[list[str]]:
    """The numbers of a page whose end is out of sight once it is as narrow as a phone."""
    page.set_viewport_size(PHONE)
    page.wait_for_function(
        "(width) => document.querySelector('[data-testid=stApp]').offsetWidth === width", arg=PHONE["width"]
    )
    wait_for_run(page)
    return page.evaluate(CUT)  # type: ignore[no-any-return]


@pytest.mark.parametrize("scheme", OPENED)
def test_every_page_is_one_that_everybody_can_read_and_that_stands_still(home: Path, scheme: str) -> None:
    store_proposed(2)
    judge("Ada", 1, verdict(0), verdict(1, "reject"), reading())
    judge("Ben", 1, verdict(0, "reject"))
    found: dict[str, list[Any]] = {}
    with_numbers = set()
    with serving(home) as server, chromium() as browser:
        for name, page, wrong in opened(browser, server.url, scheme):
            moved = shifts(page)
            too_much = moved if cls(moved) > MOST_SHIFT.get(name, MOST_SHIFT_ELSEWHERE) else []
            page.evaluate(AXE)
            said = told(name, page, ALL)
            turn(page, OTHER[scheme])
            of_colours = told(name, page, OF_COLOURS)
            found[name] = [*said, *of_colours, *numbers_cut_on_a_phone(page), *wrong, *too_much]
            if page.evaluate(NUMBERS):
                with_numbers.add(name)
    assert list(found) == OPENED[scheme] and OF_NUMBERS & set(found) <= with_numbers
    assert not any(found.values()), json.dumps({name: said for name, said in found.items() if said}, indent=1)
