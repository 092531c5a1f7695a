"""Prints how long the first question to Find takes after a start of the app.

python -m tests.measure.first_answer                     # loads the sample into a new data folder first
python -m tests.measure.first_answer --home X --rest 0 25 25     # on a copy of what stands in X

Each start waits until the first page stands, rests some seconds, opens Find and asks. Told is when the page says that
it is at work, by a look every 20 ms; found is when the first article stands there, both since Enter.
"""

import argparse
import os
import time
from pathlib import Path

from tests.measure.errands import Walk, app_and_browser
from tests.support.browser import new_page

LOOK_SECONDS = 0.02


def main() -> None:
    """Starts the app once a rest and prints a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a data folder to copy; without one the sample is loaded")
    parser.add_argument(
        "--rest", type=float, nargs="*", default=[0, 25], help="seconds between first page and question"
    )
    given = parser.parse_args()
    print("| rest | first page | told | found | load |\n|---|---|---|---|---|", flush=True)
    for rest in given.rest:
        with app_and_browser(given.home) as (server, browser):
            walk = Walk(new_page(browser, server.url, "Cara"), server.url)
            walk.begin()
            first = walk.seconds
            time.sleep(rest)
            walk.open("Find")
            walk.type("What do you look for?", "FOXA1 MCF-7", "searchbox")
            walk.began, told = time.monotonic(), None
            walk.press("Enter")
            while not walk.page.locator(".found > article").count():
                if told is None and walk.page.get_by_test_id("stSpinner").count():
                    told = walk.seconds
                time.sleep(LOOK_SECONDS)
            said = "–" if told is None else f"{told:.1f} s"
            row = f"{rest:.0f} s | {first:.1f} s | {said} | {walk.seconds:.1f} s | {os.getloadavg()[0]:.0f}"
            print(f"| {row} |", flush=True)


if __name__ == "__main__":
    main()
