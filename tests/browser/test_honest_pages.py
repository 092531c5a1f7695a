"""Every page in both themes: axe-core, requests elsewhere, errors, what moves or is cut, letters, and how it looks.

    KEEP_PICTURES=1 .venv/bin/python -m pytest tests/browser/test_honest_pages.py

keeps the pictures again after a change of how pages look. Look at the pages first (`tests.measure.pictures`).
"""

import json
import os
from itertools import cycle
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest

from annotate.review.assignments import take
from annotate.search.upkeep import catch_up
from pages.parts.frame.entries import FIRST, entries
from tests.support.browser import CHROMIUM, COOKIE, PATIENCE_MS, chromium, go_on_to, serving, wait_for_run
from tests.support.layout_shift import WATCH, cls, shifts
from tests.support.making import judge, reading, store_proposed, verdict
from tests.support.paths import DATA
from tests.support.pictures import MOST, SIZES, Pictures, apart, keep, kept, look, resize, still
from tests.support.queueing import set_queue

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
KEPT, MOST_BYTES = DATA / "pictures", 400_000
DESK = dict(zip(("width", "height"), SIZES["desk"], strict=True))
KEEPS = "KEEP_PICTURES" in os.environ
NUMBERS = "() => document.querySelectorAll('[data-testid=stMetric]').length"
# Words and numbers whose end nobody sees.
CUT = """() => [...document.querySelectorAll("[data-testid=stMetric] *")]
  .filter((node) => node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX !== "visible"
    && node.clientWidth > 0)
  .map((node) => ["cut", node.innerText])"""
# Letters of a size that is none of the scale (pages/parts/frame/scale.css). Icons are letters of their own font.
SIZES_OF_TYPE = """() => {
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
# Slips of CSS as they happen: columns fall below each other, one is gone, something lies over the page.
BREAKS = {
    "stacked": "[data-testid=stHorizontalBlock] { flex-direction: column !important; }",
    "gone": "[data-testid=stColumn]:last-child { display: none !important; }",
    "covered": "[data-testid=stMain]::after { content: ''; position: fixed; inset: 20% 0 20% 60%; background: #888; }",
}
# Pages that show numbers of what is stored here.
OF_NUMBERS = {"articles", "queue", "gold", "agreement", "status"}


def told(name: str, page: Any, rules: dict[str, Any]) -> list[list[str]]:
    """What axe-core finds on a page by these rules: (rule, element, its HTML)."""
    found: list[list[str]] = page.evaluate(RUN, rules)
    streamlits = STREAMLITS | ({("empty-table-header", 'aria-colindex="1"')} if name in CHOOSES_ROWS else set())
    return [one for one in found if not any(rule == one[0] and part in one[2] for rule, part in streamlits)]


def watched(browser: Any, url: str, wrong: list[str]) -> Any:
    """A page on which what goes wrong is noted: requests elsewhere, answers that are errors."""
    context = browser.new_context(viewport=DESK, reduced_motion="reduce")
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


def pictures(page: Any, scheme: str, expected: Pictures) -> Pictures:
    """The page in this theme in windows of all sizes, once it looks as expected."""
    found = {}
    for size in SIZES:
        resize(page, size)
        page.wait_for_function(SETTLED)
        found[name] = still(page, expected.get(name := f"{scheme} {size}"))
    return found


def looks_other(name: str, page: Any, scheme: str, seen: Pictures) -> list[tuple[str, float]]:
    """In which windows the page does not look as it is kept, with the share of it that differs."""
    before = {} if KEEPS else kept(KEPT / f"{name}.png")
    now = pictures(page, scheme, before)
    seen |= now
    shares = [(each, apart(picture, before[each]) if before else 1.0) for each, picture in now.items()]
    return [] if KEEPS else [(f"looks other, {each}", share) for each, share in shares if share > MOST]


def seen_breaks(page: Any, url: str, scheme: str) -> list[str]:
    """Which slips of CSS the kept picture of Queue shows."""
    arrive(page, url, "queue")
    expected = kept(KEPT / "queue.png")[f"{scheme} desk"]
    found = [] if apart(still(page, expected), expected) <= MOST else ["without any"]
    for what, css in BREAKS.items():
        style = page.add_style_tag(content=css)
        found += [what] if apart(look(page), expected) > MOST else []
        style.evaluate("(node) => node.remove()")
    return found


def test_every_page_is_one_that_everybody_can_read_and_that_stands_still_and_looks_as_it_is_kept(home: Path) -> None:
    store_proposed(2)
    set_queue()
    judge("Ada", 1, verdict(0), verdict(1, "reject"), reading())
    judge("Ben", 1, verdict(0, "reject"))
    take("Ada", 2)
    catch_up()  # so that no job begins when Find is opened, which History would show
    found: dict[str, list[Any]] = {}
    wrong: list[str] = []
    with_numbers = []
    with serving(home) as server, chromium() as browser:
        page = watched(browser, server.url, wrong)
        schemes = cycle(("light", "dark"))
        page.emulate_media(color_scheme=(scheme := next(schemes)))
        for name in entries():  # each in the theme that the one before was turned to
            seen: Pictures = {}
            moved = arrive(page, server.url, name)
            too_much = moved if cls(moved) > MOST_SHIFT.get(name, MOST_SHIFT_ELSEWHERE) else []
            if not page.evaluate("() => 'axe' in window"):
                page.evaluate(AXE)
            found[name] = [*too_much, *told(name, page, ALL), *looks_other(name, page, scheme, seen)]
            if page.evaluate(NUMBERS):
                with_numbers.append(name)
                found[name] += page.evaluate(CUT)
            resize(page, "desk")
            turn(page, scheme := next(schemes))
            found[name] += [*told(name, page, OF_COLOURS), *page.evaluate(SIZES_OF_TYPE)]
            found[name] += [*looks_other(name, page, scheme, seen), *wrong]
            wrong.clear()
            resize(page, "desk")
            if KEEPS:
                keep(seen, KEPT / f"{name}.png")
        breaks = seen_breaks(page, server.url, scheme)
    assert set(with_numbers) >= OF_NUMBERS
    assert not any(found.values()), json.dumps({name: said for name, said in found.items() if said}, indent=1)
    assert {path.stem for path in KEPT.glob("*.png")} == set(found)
    assert sum(path.stat().st_size for path in KEPT.glob("*.png")) < MOST_BYTES
    assert breaks == list(BREAKS)
