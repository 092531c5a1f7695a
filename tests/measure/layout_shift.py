"""How far each page moves under the eyes of whoever opens it: the cumulative layout shift (CLS), and what moved.

    python -m tests.measure.layout_shift                      # loads the sample into a new data folder first
    python -m tests.measure.layout_shift --home X --only start review
    python -m tests.measure.layout_shift --home X --told      # also what moved, from where to where
    python -m tests.measure.layout_shift --theme dark         # for whoever has the dark theme

CLS as browsers report it: the largest sum of shifts within a window of 5 s with no pause above 1 s; up to 0.1 is good
(https://web.dev/articles/cls). Each page is opened cold, by its address, in a window of 1440x900.
"""

import argparse
from pathlib import Path
from typing import Any

from pages.parts.frame.entries import FIRST, entries
from tests.measure.errands import app_and_browser
from tests.support.browser import COOKIE, PATIENCE_MS
from tests.support.layout_shift import WATCH, cls, settled, shifts


def main() -> None:
    """Opens each page and prints its CLS."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, help="a data folder to copy; without one the sample is loaded")
    parser.add_argument("--only", nargs="*", default=list(entries()), help="the pages, by the names of their files")
    parser.add_argument("--told", action="store_true", help="also what moved, from where to where")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="what the system asks for")
    given = parser.parse_args()
    with app_and_browser(given.home) as (server, browser):
        for name in given.only:
            _measure(browser, server.url, name, told=given.told, theme=given.theme)


def _measure(browser: Any, url: str, name: str, *, told: bool, theme: str) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=theme)
    context.add_cookies([{"name": COOKIE, "value": "Ada", "url": url}])
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.add_init_script(WATCH)
    page.goto(f"{url}/{'' if name == FIRST else name}")
    settled(page)
    seen = shifts(page)
    print(f"{name}: {cls(seen):.3f}", flush=True)
    for shift in seen if told else []:
        print(f"  {shift['at']:6.0f} ms {shift['value']:.4f}")
        for moved in shift["moved"]:
            print(f"    {moved}")
    context.close()


if __name__ == "__main__":
    main()
