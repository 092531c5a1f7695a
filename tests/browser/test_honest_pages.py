"""Every page in both themes: axe-core, requests elsewhere, answers that are errors, what moves or is cut, letters."""

import json
from itertools import cycle
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest

from pages.parts.frame.entries import FIRST, entries
from tests.support.browser import CHROMIUM, COOKIE, PATIENCE_MS, chromium, go_on_to, serving, wait_for_run
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
PHONE, SCREEN = {"width": 390, "height": 844}, {"width": 1440, "height": 900}
NUMBERS = "() => document.querySelectorAll('[data-testid=stMetric]').length"
# Words and numbers whose end nobody sees.
CUT = """() => [...document.querySelectorAll("[data-testid=stMetric] *")]
  .filter((node) => node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX !== "visible"
    && node.clientWidth > 0)
  .map((node) => ["cut", node.innerText])"""
# Letters of a size that is none of the scale (pages/parts/frame/scale.css). Icons are letters of their own font.
SIZES = """() => {
  const names = ["--title", "--text", "--small", "--reading"];
  const scale = names.map((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  const found = [];
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) walk(node.shadowRoot);
      if (node.matches("style, script, sub, sup, canvas *, .read-aloud, [data-testid=stSkipToContent]")) continue;
      const words = [...node.childNodes].filter((each) => each.nodeType === 3).map((each) => each.data.trim()).join("");
      const { fontFamily, fontSize } = getComputedStyle(node);
      if (!words || fontFamily.includes("Material") || !node.checkVisibility()) continue;
      if (!scale.includes(fontSize)) found.push([fontSize, words.slice(0, 40)]);
    }
  };
  walk(document.body);
  return found;
}"""
# Pages that show numbers of what is stored here.
OF_NUMBERS = {"articles", "queue", "gold", "agreement", "status"}


def told(name: str, page: Any, rules: dict[str, Any]) -> list[list[str]]:
    """What axe-core finds on a page by these rules: (rule, element, its HTML)."""
    found: list[list[str]] = page.evaluate(RUN, rules)
    streamlits = STREAMLITS | ({("empty-table-header", 'aria-colindex="1"')} if name in CHOOSES_ROWS else set())
    return [one for one in found if not any(rule == one[0] and part in one[2] for rule, part in streamlits)]


def watched(browser: Any, url: str, wrong: list[str]) -> Any:
    """A page on which what goes wrong is noted: requests elsewhere, answers that are errors."""
    context = browser.new_context(viewport=SCREEN, reduced_motion="reduce")
    context.add_cookies([{"name": COOKIE, "value": "Ada", "url": url}])
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.add_init_script(WATCH)
    own = (url, url.replace("http", "ws", 1), "data:", "blob:")
    page.on("request", lambda asked: None if asked.url.startswith(own) else wrong.append(asked.url))
    page.on("response", lambda got: wrong.append(f"{got.status} {got.url}") if got.status >= 400 else None)
    return page


def arrive(page: Any, url: str, name: str) -> list[dict[str, Any]]:
    """Comes to a page and gives what moved on the way: by loading it where little may move, else as by the menu."""
    path = "" if name == FIRST else name
    if name in MOST_SHIFT:
        page.goto(f"{url}/{path}")
        page.wait_for_selector("[data-testid=stMainBlockContainer] [data-testid=stElementContainer]", state="attached")
        wait_for_run(page)
    else:
        page.evaluate("() => { window.shifts = []; }")
        go_on_to(page, path, entries()[name].title)
    page.wait_for_function(SETTLED)
    return shifts(page)


def turn(page: Any, scheme: str) -> None:
    """Gives the page of a system whose theme changes while it is open."""
    before = page.evaluate(BACKGROUND)
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(f"(before) => ({BACKGROUND})() !== before", arg=before)
    wait_for_run(page)
    page.wait_for_function(SETTLED)


def become_a_phone(page: Any) -> None:
    """Gives the page a phone's width."""
    page.set_viewport_size(PHONE)
    page.wait_for_function(
        "(width) => document.querySelector('[data-testid=stApp]').offsetWidth === width", arg=PHONE["width"]
    )
    wait_for_run(page)


def test_every_page_is_one_that_everybody_can_read_and_that_stands_still(home: Path) -> None:
    store_proposed(2)
    judge("Ada", 1, verdict(0), verdict(1, "reject"), reading())
    judge("Ben", 1, verdict(0, "reject"))
    found: dict[str, list[Any]] = {}
    wrong: list[str] = []
    with_numbers = []
    with serving(home) as server, chromium() as browser:
        page = watched(browser, server.url, wrong)
        schemes = cycle(("light", "dark"))
        page.emulate_media(color_scheme=next(schemes))
        for name in entries():  # each in the theme that the one before was turned to
            moved = arrive(page, server.url, name)
            too_much = moved if cls(moved) > MOST_SHIFT.get(name, MOST_SHIFT_ELSEWHERE) else []
            if not page.evaluate("() => 'axe' in window"):
                page.evaluate(AXE)
            said = told(name, page, ALL)
            turn(page, next(schemes))
            found[name] = [*said, *told(name, page, OF_COLOURS), *wrong, *too_much, *page.evaluate(SIZES)]
            if page.evaluate(NUMBERS):
                with_numbers.append(name)
            wrong.clear()
        become_a_phone(page)
        for name in with_numbers:
            arrive(page, server.url, name)
            found[name] += [*page.evaluate(CUT), *wrong]
            wrong.clear()
    assert set(with_numbers) >= OF_NUMBERS
    assert not any(found.values()), json.dumps({name: said for name, said in found.items() if said}, indent=1)
