"""Every page as it looks: a picture of each in both themes and in the windows of a desk, a laptop and a phone.

python -m tests.measure.pictures --to DIR                 # loads the sample into a new data folder first
python -m tests.measure.pictures --to DIR --home X --only start review --sizes 390x844
python -m tests.measure.pictures --to DIR --home X --against EARLIER  # and tells which differ, and how far
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

from pages.parts.frame.entries import FIRST, entries
from tests.measure.errands import app_and_browser
from tests.support.browser import COOKIE, PATIENCE_MS
from tests.support.layout_shift import settled
from tests.support.pictures import SIZES, THEMES

LEAST = 24  # levels of 255 that a pixel differs by; less is how the same letters are drawn twice
WINDOWS = [f"{width}x{height}" for width, height in SIZES.values()]


def main() -> None:
    """Takes the pictures: DIR/THEME_SIZE_PAGE.png."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, required=True, help="the folder of the pictures")
    parser.add_argument("--home", type=Path, help="a data folder to copy; without one the sample is loaded")
    parser.add_argument("--only", nargs="*", default=list(entries()), help="the pages, by the names of their files")
    parser.add_argument("--sizes", nargs="*", default=WINDOWS, help="widths and heights, as 1440x900")
    parser.add_argument("--against", type=Path, help="a folder of pictures taken before a change")
    given = parser.parse_args()
    given.to.mkdir(parents=True, exist_ok=True)
    with app_and_browser(given.home) as (server, browser):
        for size in given.sizes:
            width, height = map(int, size.split("x"))
            for theme in THEMES:
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
                context.add_cookies([{"name": COOKIE, "value": "Ada", "url": server.url}])
                page = context.new_page()
                page.set_default_timeout(PATIENCE_MS)
                for name in given.only:
                    page.goto(f"{server.url}/{'' if name == FIRST else name}")
                    settled(page)
                    page.screenshot(path=given.to / f"{theme}_{size}_{name}.png")
                context.close()
    if given.against:
        found = {each.name: changed(given.against / each.name, each) for each in given.to.glob("*.png")}
        for name, share in sorted(found.items(), key=lambda each: -each[1]):
            print(f"{share:7.2%}  {name}")


def changed(before: Path, after: Path) -> float:
    """The share of pixels that differ between two pictures, 0 to 1; 1 where one is missing or of another size."""
    if not before.exists():
        return 1.0
    one, other = (np.asarray(Image.open(path).convert("RGB"), dtype=int) for path in (before, after))
    return float((np.abs(one - other).max(axis=2) > LEAST).mean()) if one.shape == other.shape else 1.0


if __name__ == "__main__":
    main()
