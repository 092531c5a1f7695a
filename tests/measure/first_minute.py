"""The three tours of somebody new, in a real browser: clicks, keys and seconds until each has done the first thing.

    python -m tests.measure.first_minute            # loads the sample into a new data folder first
    python -m tests.measure.first_minute --home X   # on a copy of what stands in X

Seconds count from the moment at which the app answers, as after `make run`.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.browser import Server, chromium, new_page, serving, wait_for_run, wait_until_saved
from tests.support.paths import ROOT


class Walk:
    """One person's way through the app: counts what they do, and says when they are where."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.clicks = self.keys = 0
        self.began = time.monotonic()

    def click(self, role: str, name: str) -> None:
        """Clicks what bears this name."""
        self.page.get_by_role(role, name=name, exact=True).first.click()
        self.clicks += 1

    def open(self, place: str) -> None:
        """Opens a place of the menu."""
        self.click("link", place)

    def type(self, label: str, text: str) -> None:
        """Types into a field."""
        self.page.get_by_label(label).fill(text)
        self.keys += len(text)

    def press(self, key: str) -> None:
        """Presses a key."""
        self.page.keyboard.press(key)
        self.keys += 1

    def told(self) -> str:
        """What it took until now."""
        return f"{self.clicks} clicks, {self.keys} keys, {time.monotonic() - self.began:.1f} s"


def expert(walk: Walk) -> str:
    """Start, the next article, a name, and the first key sentence accepted and saved."""
    walk.page.goto(walk.url)
    walk.click("button", "Review the next article")
    walk.type("Your name", "Eva")
    walk.click("button", "Start")
    walk.page.wait_for_selector(".reader[data-ready]")
    walk.page.locator(".tour").wait_for()
    walk.press("a")
    walk.page.wait_for_selector('.entry[data-verdict="accept"]')
    wait_until_saved(walk.page)
    return "first key sentence accepted and saved"


def curator(walk: Walk) -> str:
    """Start, then the gold as it stands."""
    walk.page.goto(walk.url)
    walk.page.get_by_role("heading", name="Start", exact=True).wait_for()
    walk.open("Gold")
    walk.page.get_by_role("button", name="CSV", exact=True).wait_for()
    return "the gold on the screen, to export"


def maintainer(walk: Walk) -> str:
    """Start, then what a retraining would bring."""
    walk.page.goto(walk.url)
    walk.page.get_by_role("heading", name="Start", exact=True).wait_for()
    walk.open("Model")
    walk.page.get_by_role("button", name="Retrain", exact=True).wait_for()
    wait_for_run(walk.page)
    return "the button to retrain, with what it would bring"


TOURS: tuple[Callable[[Walk], str], ...] = (expert, curator, maintainer)


def sample_into(home: Path) -> None:
    """Loads the sample into a new data folder, as `make run` does."""
    command = [sys.executable, "-m", "annotate", "sample", "--if-empty"]
    subprocess.run(command, cwd=ROOT, env={"KEYLINE_HOME": str(home), "HF_HUB_OFFLINE": "1"}, check=True)


@contextmanager
def app_data(home: Path | None) -> Iterator[Path]:
    """A copy of this data folder, or the sample where there is none; it goes at the end."""
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "keyline"
        if home:
            shutil.copytree(home, own)
        else:
            sample_into(own)
        yield own


@contextmanager
def app_and_browser(home: Path | None) -> Iterator[tuple[Server, Any]]:
    """The app on such data, and a browser."""
    with app_data(home) as own, serving(own, as_people_do=True) as server, chromium() as browser:
        yield server, browser


def main() -> None:
    """Walks the three tours and prints what each took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, help="a data folder to copy; without one the sample is loaded")
    given = parser.parse_args()
    with app_and_browser(given.home) as (server, browser):
        for tour in TOURS:
            walk = Walk(new_page(browser, server.url), server.url)
            done = tour(walk)
            print(f"{tour.__name__}: {walk.told()}: {done}", flush=True)
            walk.page.context.close()


if __name__ == "__main__":
    main()
